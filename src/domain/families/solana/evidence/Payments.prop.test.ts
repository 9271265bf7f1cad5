import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { orderIdsOf, paymentsOf } from "./Payments.ts"
import type { SvmTokens, SvmTransaction } from "./SvmTransaction.ts"
import { account, currency, type Deed, mints, program, transactionOf, vault } from "./testing/Transactions.ts"

const depository = { program, vault }
const idText = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`)

const holding: fc.Arbitrary<SvmTokens> = fc.record({
  account: fc.integer({ min: 10, max: 40 }).map(account),
  mint: fc.constantFrom(...mints).map(currency),
  owner: fc.oneof(fc.integer({ min: 1, max: 4 }).map(account), fc.constant(vault)),
  amount: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
})
const once = fc.uniqueArray(holding, { selector: (each) => each.account, maxLength: 12 })
const lamports = fc.uniqueArray(
  fc.record({
    account: fc.oneof(fc.integer({ min: 1, max: 14 }).map(account), fc.constant(vault)),
    before: fc.bigInt({ min: 0n, max: 100n }),
    after: fc.bigInt({ min: 0n, max: 100n })
  }),
  { selector: (each) => each.account }
)

const sum = (all: ReadonlyArray<SvmTokens>, owner: string, mint: string): bigint =>
  all.reduce((total, each) => each.owner === owner && each.mint === mint ? total + each.amount : total, 0n)

describe("payments of Solana", () => {
  it("are what each account gained in lamports, and each owner of a mint over all of its accounts: none of the vault, no lamports on token accounts", () => {
    fc.assert(
      fc.property(lamports, once, once, (moved, tokensBefore, tokensAfter) => {
        const transaction: SvmTransaction = { instructions: [], lamports: moved, tokensAfter, tokensBefore }
        const paid = new Map(
          paymentsOf(transaction, depository).map((each) => [`${each.recipient} ${each.currency}`, each.amount])
        )
        assert.strictEqual(paid.size, paymentsOf(transaction, depository).length)
        const expected = new Map<string, bigint>()
        const ofTokens = [...tokensBefore, ...tokensAfter].map((each) => each.account)
        for (const { account: at, after, before } of moved) {
          if (after > before && at !== vault && !ofTokens.includes(at)) {
            expected.set(`${at} 11111111111111111111111111111111`, after - before)
          }
        }
        for (let owner = 1; owner <= 4; owner += 1) {
          for (const mint of mints) {
            const gained = sum(tokensAfter, account(owner), mint) - sum(tokensBefore, account(owner), mint)
            if (gained > 0n) {
              expected.set(`${account(owner)} ${mint}`, gained)
            }
          }
        }
        assert.deepStrictEqual(paid, expected)
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("a payout is no payment: a transaction that executes a withdrawal pays no recipient, whatever else it does", () => {
    const user = fc.integer({ min: 1, max: 3 }).map(account)
    const amount = fc.bigInt({ min: 1n, max: 1_000n })
    const mint = fc.constantFrom(...mints)
    const moving: fc.Arbitrary<Deed> = fc.oneof(
      fc.record({ _tag: fc.constant("Native" as const), amount, from: user, to: user }),
      fc.record({ _tag: fc.constant("Token" as const), amount, from: user, to: user, mint, feeBps: fc.constant(0n) }),
      fc.record({ _tag: fc.constant("Memo" as const), text: idText, inner: fc.boolean() })
    )
    const payout = fc.record({
      _tag: fc.constant("Payout" as const),
      amount,
      to: user,
      mint: fc.option(mint, { nil: undefined }),
      feeBps: fc.constantFrom(0n, 500n),
      inner: fc.boolean()
    })
    const others = fc.array(moving, { maxLength: 3 })
    fc.assert(
      fc.property(others, payout, others, (before, paid, after) => {
        const made = transactionOf([...before, paid, ...after])
        assert.deepStrictEqual(paymentsOf(made, depository), [])
        // An execution that cannot be decoded counts, too. One of another program does not.
        const instructions = made.instructions.map((each) =>
          each.program === program ? { ...each, data: each.data.subarray(0, 20) } : each
        )
        assert.deepStrictEqual(paymentsOf({ ...made, instructions }, depository), [])
        assert.isNotEmpty(paymentsOf(transactionOf([paid]), { program: account(82), vault }))
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("name every order id of every memo, once for each mention, and nothing similar", () => {
    const around = fc.constantFrom("", "order ", "|", " thanks", "\u00e9")
    const mention = fc.tuple(around, idText, fc.constantFrom("", " ", "|x", "\u00e9"))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(mention, { maxLength: 2 }), fc.boolean()), { maxLength: 3 }), (memos) => {
        const made = transactionOf(
          memos.map(([mentions, inner]) => ({ _tag: "Memo", text: mentions.flat().join(""), inner }))
        )
        const said = memos.flatMap(([mentions]) => mentions.map(([, id]) => id))
        assert.deepStrictEqual<unknown>(orderIdsOf(made), said)
      }),
      { numRuns: inputs(500, 10_000) }
    )
    const named = (text: string) => orderIdsOf(transactionOf([{ _tag: "Memo", text, inner: false }]))
    const id = `0x${"ab".repeat(32)}`
    for (const text of ["", id.slice(2), `${id}0`, id.slice(0, -1), id.replace("0x", "0X")]) {
      assert.deepStrictEqual(named(text), [])
    }
    assert.deepStrictEqual<unknown>(named(id.toUpperCase().replace("0X", "0x")), [id])
    // The same data for another program is not a memo.
    const { instructions, ...rest } = transactionOf([{ _tag: "Memo", text: id, inner: false }])
    assert.deepStrictEqual(
      orderIdsOf({ ...rest, instructions: instructions.map((each) => ({ ...each, program: account(5) })) }),
      []
    )
  })
})
