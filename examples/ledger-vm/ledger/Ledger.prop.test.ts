/** Laws of the ledger itself: for any transfers in any order, and any reorg. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { holdingsOf, keyOf, listed, refusing, terms } from "../testing/Fixture.ts"
import {
  accountOn,
  close,
  entryOf,
  finalOf,
  genesis,
  headOf,
  identityOf,
  type LedgerState,
  nextBlock,
  reorganise,
  submit,
  unitsOf
} from "./Ledger.ts"
import { accountOf, signTransfer, transferId } from "./Transfer.ts"

const keys = [2, 3, 7].map(keyOf)
const accounts = keys.map(accountOf)
const start = close(genesis(terms, 0, holdingsOf(...accounts)), refusing)

const transferOf = (state: LedgerState, act: Extract<Act, { readonly _tag: "Send" }>) => {
  const key = keys[act.from % keys.length] ?? keyOf(2)
  const payerKey = act.payer === undefined ? undefined : keys[act.payer]
  return signTransfer(
    {
      ledger: identityOf(state),
      sender: accountOf(key),
      sequence: BigInt(act.sequence),
      recipient: act.to === 0 ? refusing : accounts[act.to % accounts.length] ?? refusing,
      currency: (listed[act.currency % 2] ?? listed[0]).address,
      amount: BigInt(act.amount),
      fee: 1_000n,
      memo: "",
      ...(payerKey === undefined ? {} : { payer: accountOf(payerKey) })
    },
    key,
    { payerKey }
  )
}

type Act =
  | {
    readonly _tag: "Send"
    readonly from: number
    readonly to: number
    readonly sequence: number
    readonly currency: number
    readonly amount: number
    /** Absent where the sender pays the fee. */
    readonly payer?: number | undefined
  }
  | { readonly _tag: "Mine" }
  | { readonly _tag: "Fork"; readonly depth: number; readonly kept: boolean }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Send" as const),
      from: fc.nat(2),
      to: fc.nat(3),
      sequence: fc.nat(3),
      currency: fc.nat(1),
      amount: fc.nat(1_200_000_000),
      payer: fc.option(fc.nat(2), { nil: undefined })
    })
  },
  { weight: 2, arbitrary: fc.constant({ _tag: "Mine" as const }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Fork" as const), depth: fc.nat(5), kept: fc.boolean() }) }
)

const after = (state: LedgerState, each: Act): LedgerState => {
  switch (each._tag) {
    case "Send":
      return Result.getOrElse(submit(state, transferOf(state, each)), () => state)
    case "Mine":
      return nextBlock(state, headOf(state).time + 1)
    case "Fork":
      return reorganise(state, each.depth, each.kept ? "kept" : "forgotten")
  }
}

/** The total of one currency in all accounts and fees. */
const totalOf = (state: LedgerState, { address }: (typeof listed)[number]): bigint => {
  const fees = state.blocks.flatMap(({ block }) => block.entries).reduce((sum, { feePaid }) => sum + feePaid, 0n)
  const held = [...accounts, refusing].reduce((sum, of) => sum + unitsOf(accountOn(state, of), address), 0n)
  return address === listed[0].address ? held + fees : held
}

const histories = fc.array(act, { maxLength: 40 }).map((acts) => {
  const states = [start]
  for (const each of acts) states.push(after(states.at(-1) ?? start, each))
  return states
})

describe("the ledger", () => {
  it("neither creates nor loses money, has no negative balance, and uses each sequence once", () => {
    fc.assert(
      fc.property(histories, (states) => {
        for (const state of states) {
          for (const currency of listed) assert.strictEqual(totalOf(state, currency), totalOf(start, currency))
          for (const of of [...accounts, refusing]) {
            for (const { address } of listed) assert.isTrue(unitsOf(accountOn(state, of), address) >= 0n)
          }
          const used = state.blocks.flatMap(({ block }) => block.entries).map(({ signed: { transfer } }) =>
            `${transfer.sender} ${transfer.sequence}`
          )
          assert.strictEqual(new Set(used).size, used.length)
        }
      }),
      { numRuns: inputs(100, 5_000) }
    )
  })

  it("never changes a final block", () => {
    fc.assert(
      fc.property(histories, (states) => {
        for (const [index, state] of states.entries()) {
          const { hash, height } = finalOf(state)
          const later = states.slice(index).map(({ blocks }) => blocks[height]?.block.hash)
          assert.isTrue(later.every((each) => each === hash))
        }
      }),
      { numRuns: inputs(100, 5_000) }
    )
  })

  it("refuses another's signature, another ledger's transfer, and a used sequence", () => {
    const send = { _tag: "Send", from: 0, to: 1, sequence: 0, currency: 0, amount: 5 } as const
    const signed = transferOf(start, send)
    const reason = (state: LedgerState, of: typeof signed) => Result.flip(submit(state, of)).pipe(Result.getOrThrow)
    assert.strictEqual(
      reason(start, { ...signed, transfer: { ...signed.transfer, amount: 6n } }),
      "not signed"
    )
    assert.strictEqual(
      reason(start, { ...signed, transfer: { ...signed.transfer, ledger: "00".repeat(32) } }),
      "another ledger"
    )
    const mined = nextBlock(Result.getOrThrow(submit(start, signed)), 1)
    assert.strictEqual(entryOf(mined, transferId(signed.transfer))?.entry.succeeded, true)
    assert.strictEqual(Result.getOrThrow(submit(mined, signed)), mined)
    const foreign = transferOf(start, { ...send, amount: 6 })
    assert.strictEqual(reason(mined, { ...signed, signature: foreign.signature }), "not signed")
    assert.strictEqual(reason(mined, transferOf(mined, { ...send, amount: 6 })), "sequence used")
  })

  it("takes the fee from a payer that has signed, and nothing else", () => {
    const signed = transferOf(start, { _tag: "Send", from: 0, to: 1, sequence: 0, currency: 0, amount: 5, payer: 2 })
    const { payerSignature: _, ...unsigned } = signed
    assert.deepStrictEqual(submit(start, unsigned), Result.fail("not signed"))
    assert.deepStrictEqual(submit(start, { ...signed, payerSignature: signed.signature }), Result.fail("not signed"))
    const mined = nextBlock(Result.getOrThrow(submit(start, signed)), 1)
    const held = (nth: number) =>
      unitsOf(accountOn(mined, accounts[nth] ?? refusing), listed[0].address) -
      unitsOf(accountOn(start, accounts[nth] ?? refusing), listed[0].address)
    assert.deepStrictEqual([held(0), held(1), held(2)], [-5n, 5n, -1_000n])
  })

  it("executes nothing for an account that accepts no transfers, but takes fee and sequence", () => {
    const signed = transferOf(start, { _tag: "Send", from: 0, to: 0, sequence: 0, currency: 1, amount: 5 })
    const mined = nextBlock(Result.getOrThrow(submit(start, signed)), 1)
    assert.strictEqual(entryOf(mined, transferId(signed.transfer))?.entry.succeeded, false)
    assert.strictEqual(unitsOf(accountOn(mined, refusing), listed[1].address), 0n)
    assert.strictEqual(accountOn(mined, accountOf(keyOf(2))).sequence, 1n)
  })
})
