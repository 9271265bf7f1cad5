import { assert, describe, it } from "@effect/vitest"
import { decodeTransaction } from "./DecodeByHand.ts"
import { evmTransaction } from "./EvmTransaction.ts"

const FROM = `0x${"1a".repeat(20)}` as const
const HASH = `0x${"ab".repeat(32)}` as const

describe("a transaction with a list of calls, and no recipient, calldata and value of its own (EVM-12)", () => {
  it("calls and carries nothing, as viem shows it and as the oracle reads it", () => {
    const nothing = { from: FROM, to: undefined, input: "0x", value: 0n, logs: [] }
    assert.deepStrictEqual<unknown>(evmTransaction({ from: FROM }, { logs: [] }), nothing)
    assert.deepStrictEqual<unknown>(evmTransaction({ from: FROM, to: null, value: undefined }, { logs: [] }), nothing)
    const calls = [[{ to: FROM, data: "0x" }]]
    assert.deepStrictEqual<unknown>(decodeTransaction({ hash: HASH, type: "0x79", from: FROM, calls }), {
      hash: HASH,
      from: FROM,
      to: null,
      input: "0x",
      value: 0n
    })
  })
  it("has a sender", () => {
    assert.isUndefined(decodeTransaction({ hash: HASH, type: "0x79" }))
  })
})
