/** Blocks are read as bitcoinjs-lib writes them, and damaged bytes are refused, never thrown at. */
import { assert, describe, it } from "@effect/vitest"
import { Block } from "bitcoinjs-lib"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { shownInBlock, wantedInBlock } from "./BtcBlock.ts"
import { sameBytes } from "./SpentCoins.ts"
import { account, amounts, built, scriptOf, users } from "./testing/Transactions.ts"

const wanted = scriptOf(account(1))
const isWanted = (script: Uint8Array): boolean => sameBytes(script, wanted)

const transactions = fc.array(
  fc.record({
    spent: fc.array(users.map(scriptOf), { minLength: 1, maxLength: 4 }),
    outputs: fc.array(fc.record({ script: users.map(scriptOf), amount: amounts }), { minLength: 1, maxLength: 4 }),
    segwit: fc.boolean()
  }),
  { minLength: 1, maxLength: 6 }
)

const blockOf = (made: Parameters<typeof built>[0][]) => {
  const block = new Block()
  block.prevHash = new Uint8Array(32).fill(3)
  block.merkleRoot = new Uint8Array(32).fill(4)
  block.timestamp = 1_700_000_000
  block.bits = 0x207fffff
  block.transactions = made.map(built)
  return block
}

describe("the wanted transactions of a block", () => {
  it("are those with a wanted output, in their order and with all their bytes", () => {
    fc.assert(
      fc.property(transactions, (made) => {
        const block = blockOf(made)
        const paid = wantedInBlock(Uint8Array.from(block.toBuffer()), isWanted)
        assert.strictEqual(paid?.hash, block.getId())
        assert.deepStrictEqual(
          paid?.transactions.map((bytes) => Buffer.from(bytes).toString("hex")),
          made.filter(({ outputs }) => outputs.some(({ script }) => Buffer.from(script).equals(wanted)))
            .map((each) => Buffer.from(built(each).toBuffer()).toString("hex"))
        )
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("and those that show a key are found wherever it stands in them", () => {
    fc.assert(
      fc.property(transactions, fc.array(fc.nat()), (made, keyed) => {
        const key = new Uint8Array(33).fill(9)
        const block = blockOf(made)
        const showing = new Set(keyed.map((at) => block.transactions?.[at % made.length]))
        for (const each of showing) each?.addOutput(Uint8Array.of(0x6a, key.length, ...key), 0n)
        const shown = shownInBlock(Uint8Array.from(block.toBuffer()), key)
        assert.strictEqual(shown?.hash, block.getId())
        assert.deepStrictEqual(
          shown?.transactions.map((bytes) => Buffer.from(bytes).toString("hex")),
          (block.transactions ?? []).filter((each) => showing.has(each)).map((each) =>
            Buffer.from(each.toBuffer()).toString("hex")
          )
        )
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("are unknown where the block's bytes end early or go on", () => {
    fc.assert(
      fc.property(transactions, fc.nat(), (made, any) => {
        const bytes = Uint8Array.from(blockOf(made).toBuffer())
        assert.isUndefined(wantedInBlock(bytes.subarray(0, any % bytes.length), isWanted))
        assert.isUndefined(wantedInBlock(Uint8Array.of(...bytes, 0), isWanted))
        const damaged = bytes.slice()
        damaged[any % bytes.length] = (damaged[any % bytes.length] ?? 0) ^ 0xff
        wantedInBlock(damaged, isWanted)
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })
})
