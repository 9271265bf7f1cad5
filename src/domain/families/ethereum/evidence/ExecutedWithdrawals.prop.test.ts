import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { encodeFunctionData, parseAbi } from "viem"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { account, hex } from "../../../order/testing/Orders.ts"
import { callRequest } from "../../../hub/testing/Withdrawals.ts"
import { type CallRequest, callRequestHash } from "../CallRequest.ts"
import { Hex } from "../../../encoding/Hex.ts"
import { withdrawalsOf } from "./ExecutedWithdrawals.ts"

const abi = parseAbi([
  "struct Call { address to; bytes data; uint256 value; bool allowFailure; }",
  "struct CallRequest { Call[] calls; uint256 nonce; uint256 expiration; }",
  "function execute(CallRequest request, bytes signature) returns (bool[] succeeded)"
])
const evm = account("ethereum-vm")

const inputOf = (request: CallRequest, signature: Hex): Hex =>
  Hex.make(encodeFunctionData({ abi, functionName: "execute", args: [request as never, signature] }))
const sent = (
  from: Parameters<typeof withdrawalsOf>[1],
  to: Parameters<typeof withdrawalsOf>[1] | undefined,
  input: Hex
) => ({ from, to, input, value: 0n, logs: [] })

describe("the withdrawals that a transaction executed", () => {
  it("are the requests that it passes to the depository, as another encoder writes them", () => {
    fc.assert(
      fc.property(callRequest, hex, evm, evm, (request, signature, from, depository) => {
        assert.deepStrictEqual(withdrawalsOf(sent(from, depository, inputOf(request, signature)), depository), [
          Result.getOrThrow(callRequestHash(request))
        ])
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })

  it("do not exist when it calls another contract, creates one, or passes anything else", () => {
    fc.assert(
      fc.property(callRequest, hex, evm, evm, fc.nat(), hex, (request, signature, from, depository, at, other) => {
        const input = inputOf(request, signature)
        const cut = Hex.make(`0x${input.slice(2, 2 + 2 * (at % ((input.length - 2) / 2)))}`)
        for (
          const wrong of [
            sent(from, from, input),
            sent(from, undefined, input),
            sent(from, depository, cut),
            sent(from, depository, other),
            sent(from, depository, Hex.make(`0x${input.slice(2)}00`))
          ]
        ) {
          if (wrong.to !== depository || wrong.input !== input) {
            assert.deepStrictEqual(withdrawalsOf(wrong, depository), [])
          }
        }
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })
})
