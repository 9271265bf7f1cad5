/** A memo counts for exactly the transfer that the sender's owner has signed. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { word } from "../../../../../property-tests/EvidenceChains.ts"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Hex, hexToBytes } from "../../../encoding/Hex.ts"
import { accountOfKey, signDigest, textDigest } from "../../../encoding/Signature.ts"
import { l1Message } from "../ExchangeBWithdrawal.ts"
import { withSignedMemo } from "./SignedMemo.ts"
import type { SentTransfer } from "./Transfer.ts"

const key = word(7)
const owner = Result.getOrThrow(accountOfKey(key))
const sent: SentTransfer = {
  nonce: 1n,
  fromAccountIndex: 7n,
  fromRouteType: 0n,
  apiKeyIndex: 2n,
  toAccountIndex: 50n,
  toRouteType: 0n,
  assetIndex: 3n,
  amount: (1n << 63n) + 1n,
  usdcFee: 5n,
  memo: word(9)
}
const signed = (transfer: SentTransfer, lighterChainId: bigint) =>
  Result.getOrThrow(signDigest(hexToBytes(textDigest(l1Message({ ...transfer, lighterChainId }))), key))

const isMemoOf = (transfer: SentTransfer, by: string = owner) =>
  withSignedMemo(transfer, "mainnet", by, signed(sent, 304n)).memo === sent.memo

describe("the memo of a transfer of exchange B", () => {
  it("counts when the sender's owner has signed it, however its address is written", () => {
    assert.isTrue(isMemoOf(sent))
    assert.isTrue(isMemoOf(sent, `0x${owner.slice(2).toUpperCase()}`))
    assert.isTrue(withSignedMemo(sent, "testnet", owner, signed(sent, 300n)).memo === sent.memo)
  })

  it("does not count without a signature, with another account's, or with that of another network", () => {
    const without = [
      withSignedMemo(sent, "mainnet", owner, undefined),
      withSignedMemo(sent, "mainnet", Result.getOrThrow(accountOfKey(word(8))), signed(sent, 304n)),
      withSignedMemo(sent, "mainnet", owner, signed(sent, 300n)),
      withSignedMemo(sent, "mainnet", owner, Hex.make("0x"))
    ]
    for (const { memo, ...rest } of without) {
      assert.strictEqual(memo, word(0))
      const { memo: _, ...whole } = sent
      assert.deepStrictEqual(rest, whole)
    }
  })

  it("does not count when anything else was signed", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          "nonce",
          "fromAccountIndex",
          "fromRouteType",
          "apiKeyIndex",
          "toAccountIndex",
          "toRouteType",
          "assetIndex",
          "amount",
          "usdcFee"
        ),
        fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
        (name, value) => {
          if (value === sent[name]) return
          assert.strictEqual(
            withSignedMemo({ ...sent, [name]: value }, "mainnet", owner, signed(sent, 304n)).memo,
            word(0)
          )
        }
      ),
      { numRuns: inputs(200, 20_000) }
    )
    assert.isFalse(isMemoOf({ ...sent, memo: word(10) }))
  })
})
