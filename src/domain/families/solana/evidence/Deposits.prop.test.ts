import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import type { DepositEvidence } from "../../../evidence/TransactionEvidence.ts"
import { depositsOf } from "./Deposits.ts"
import { programs } from "./Programs.ts"
import type { SvmTransaction } from "./SvmTransaction.ts"
import { account, type Deed, known, mints, program, tokensOf, transactionOf, vault } from "./testing/Transactions.ts"

const depository = { program, vault }
const NO_ID = `0x${"0".repeat(64)}` as const

const users = fc.constantFrom(account(1), account(2), account(3))
const amount = fc.oneof(fc.constantFrom(0n, 1n, 2n), fc.bigInt({ min: 0n, max: 1_000_000n }))
const id = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) =>
  Hex32.make(`0x${Buffer.from(bytes).toString("hex")}`)
)
const feeBps = fc.constantFrom(0n, 0n, 1n, 500n, 10_000n)
const mint = fc.constantFrom(...mints)

const depositing: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    _tag: fc.constant("DepositNative" as const),
    amount,
    id,
    from: users,
    inner: fc.boolean(),
    extra: fc.constantFrom(0, 0, 3)
  }),
  fc.record({ _tag: fc.constant("DepositToken" as const), amount, id, from: users, mint, feeBps, inner: fc.boolean() })
)
const forging: fc.Arbitrary<Deed> = fc.record({
  _tag: fc.constant("Forged" as const),
  how: fc.constantFrom("program" as const, "vault" as const, "account" as const, "short" as const),
  amount,
  id,
  from: users
})
const moving: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    _tag: fc.constant("Native" as const),
    amount,
    from: fc.oneof(users, fc.constant(vault)),
    to: fc.oneof(users, fc.constant(vault))
  }),
  fc.record({
    _tag: fc.constant("Token" as const),
    amount,
    from: fc.oneof(users, fc.constant(vault)),
    to: fc.oneof(users, fc.constant(vault)),
    mint,
    feeBps
  })
)
const paying = fc.record({
  _tag: fc.constant("Payout" as const),
  amount: fc.bigInt({ min: 1n, max: 2_000_000n }),
  to: fc.oneof(users, fc.constant(vault)),
  mint: fc.option(mint, { nil: undefined }),
  feeBps,
  inner: fc.boolean()
})
const deeds = fc.array(fc.oneof(depositing, depositing, forging, moving, paying), { maxLength: 8 })

const sum = (all: ReadonlyArray<bigint>): bigint => all.reduce((total, each) => total + each, 0n)

/** What the vault received of each currency: its gain, plus what withdrawals paid to others. */
const receipts = (
  made: ReadonlyArray<Deed>,
  { lamports, tokensAfter, tokensBefore }: SvmTransaction
): ReadonlyMap<string, bigint> => {
  const paidOut = (currency: string) =>
    sum(
      made.flatMap((deed) =>
        deed._tag === "Payout" && deed.to !== vault && (deed.mint ?? programs.system) === currency ? [deed.amount] : []
      )
    )
  const of = (at: string, currency: string): readonly [string, bigint] => {
    const held = (all: SvmTransaction["tokensAfter"]) =>
      sum(all.filter((each) => each.account === at).map((each) => each.amount))
    return [currency, held(tokensAfter) - held(tokensBefore) + paidOut(currency)]
  }
  const native = sum(lamports.filter((each) => each.account === vault).map(({ after, before }) => after - before))
  return new Map([
    [programs.system, native + paidOut(programs.system)],
    ...mints.map((each) => of(tokensOf(vault, each), each))
  ])
}

const credited = (deposits: ReadonlyArray<DepositEvidence>, currency: string): bigint =>
  sum(deposits.filter((each) => each.currency === currency).map((each) => each.amount))

describe("deposits of Solana", () => {
  it("are never worth more together than the vault received, in any transaction", () => {
    fc.assert(
      fc.property(deeds, (made) => {
        const transaction = transactionOf(made)
        const deposits = depositsOf(transaction, depository)
        for (const [currency, gained] of receipts(made, transaction)) {
          assert.isTrue(
            credited(deposits, currency) <= (gained > 0n ? gained : 0n),
            `${currency}: ${credited(deposits, currency)} of ${gained}`
          )
        }
        assert.strictEqual(new Set(deposits.map(({ index }) => index)).size, deposits.length)
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("are each what one instruction of the depository says, at its index, and never more", () => {
    fc.assert(
      fc.property(deeds.filter((made) => made.some(({ _tag }) => _tag.startsWith("Deposit"))), (made) => {
        const transaction = transactionOf(made)
        const deposits = depositsOf(transaction, depository)
        for (const { amount: worth, currency, depositId, depositor, depository: of, index } of deposits) {
          const deed = made[index]
          if (deed?._tag !== "DepositNative" && deed?._tag !== "DepositToken") {
            return assert.fail(`a deposit by ${deed?._tag}`)
          }
          assert.strictEqual(of, program)
          assert.deepStrictEqual<unknown>([depositId, depositor, currency], [
            deed.id,
            deed.from,
            deed._tag === "DepositNative" ? programs.system : deed.mint
          ])
          assert.isTrue(worth > 0n && worth <= deed.amount)
        }
        // If the vault received all declared amounts, each deposit is worth exactly its amount.
        const gained = receipts(made, transaction)
        const said = (currency: string) =>
          sum(made.flatMap((deed) =>
            deed._tag === "DepositNative" && currency === programs.system
              ? [deed.amount]
              : deed._tag === "DepositToken" && deed.mint === currency
              ? [deed.amount]
              : []
          ))
        for (const [currency, got] of gained) {
          if (got >= said(currency)) {
            assert.strictEqual(credited(deposits, currency), said(currency))
          }
        }
        // If it received less, at most one unit per deposit is lost to rounding.
        for (const [currency, got] of gained) {
          if (got > 0n && got < said(currency)) assert.isTrue(got - credited(deposits, currency) <= BigInt(made.length))
        }
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("do not depend on the order of the other instructions", () => {
    const one = fc.array(depositing, { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(one, fc.array(moving, { maxLength: 3 }), (made, others) => {
        const worth = (all: ReadonlyArray<Deed>) =>
          depositsOf(transactionOf(all), depository).map(({ amount: each, currency, depositId }) =>
            `${currency} ${depositId} ${each}`
          ).toSorted()
        assert.deepStrictEqual(worth([...made, ...others]), worth([...others, ...made.toReversed()]))
      }),
      { numRuns: inputs(100, 3_000) }
    )
  })

  it("lose nothing by withdrawals that anyone puts beside them", () => {
    const worth = (all: ReadonlyArray<Deed>) =>
      depositsOf(transactionOf(all), depository).map((
        { amount: each, currency, depositId }
      ) => [currency, depositId, each])
    fc.assert(
      fc.property(
        fc.array(depositing, { minLength: 1, maxLength: 5 }),
        fc.array(paying.filter(({ to }) => to !== vault), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (made, paid, first) => {
          assert.deepStrictEqual(worth(first ? [...paid, ...made] : [...made, ...paid]), worth(made))
        }
      ),
      { numRuns: inputs(200, 5_000) }
    )
    // Payouts declared by another program, or for another vault, add nothing. The vault's loss counts.
    const [kept, lost]: [Deed, Deed] = [
      { _tag: "DepositNative", amount: 5n, id: Hex32.make(NO_ID), from: account(1), inner: false, extra: 0 },
      { _tag: "Payout", amount: 3n, to: account(2), mint: undefined, feeBps: 0n, inner: false }
    ]
    const { instructions: [deposit, payout], ...rest } = transactionOf([kept, lost])
    if (deposit === undefined || payout === undefined) return assert.fail("no instructions")
    const shown = (other: typeof payout) =>
      depositsOf({ ...rest, instructions: [deposit, other] }, depository).map((each) => each.amount)
    assert.deepStrictEqual(shown(payout), [5n])
    for (
      const other of [{ ...payout, program: account(82) }, { ...payout, data: payout.data.subarray(0, 100) }, {
        ...payout,
        accounts: payout.accounts.with(3, account(9))
      }]
    ) {
      assert.deepStrictEqual(shown(other), [2n])
    }
    const elsewhere = payout.data.with(payout.data.length - 1, (payout.data.at(-1) ?? 0) ^ 1)
    assert.deepStrictEqual(shown({ ...payout, data: elsewhere }), [2n])
  })

  it("of a forged event do not exist", () => {
    fc.assert(
      fc.property(fc.array(forging, { maxLength: 5 }), (made) => {
        assert.deepStrictEqual(depositsOf(transactionOf(made), depository), [])
      }),
      { numRuns: inputs(100, 3_000) }
    )
  })

  it("are a lone transfer straight into the vault, without an id, with any compute budget", () => {
    const budget = { program: known(programs.computeBudget), accounts: [], data: Uint8Array.of(3), isTopLevel: true }
    const straight = fc.oneof(
      fc.record({
        _tag: fc.constant("Native" as const),
        amount: fc.bigInt({ min: 1n, max: 1_000n }),
        from: users,
        to: fc.constant(vault)
      }),
      fc.record({
        _tag: fc.constant("Token" as const),
        amount: fc.bigInt({ min: 1n, max: 1_000n }),
        from: users,
        to: fc.constant(vault),
        mint,
        feeBps
      })
    )
    fc.assert(
      fc.property(straight, fc.nat(3), fc.nat(3), (deed, before, after) => {
        const bare = transactionOf([deed])
        const transaction = {
          ...bare,
          instructions: [
            ...Array.from({ length: before }, () => budget),
            ...bare.instructions,
            ...Array.from({ length: after }, () => budget)
          ]
        }
        const worth = deed._tag === "Native" ? deed.amount : deed.amount - (deed.amount * deed.feeBps) / 10_000n
        const currency = deed._tag === "Native" ? programs.system : deed.mint
        const expected = worth === 0n
          ? []
          : [{ depository: program, index: before, depositId: NO_ID, depositor: deed.from, currency, amount: worth }]
        assert.deepStrictEqual<unknown>(depositsOf(transaction, depository), expected)
        // A transfer with any other instruction beside it is not recognised as a deposit.
        const memo = transactionOf([deed, { _tag: "Memo", text: "", inner: false }])
        assert.deepStrictEqual(depositsOf(memo, depository), [])
        assert.deepStrictEqual(depositsOf(transactionOf([deed, deed]), depository), [])
      }),
      { numRuns: inputs(100, 3_000) }
    )
  })

  it("are no tokens of an account of the vault that is not the one of its mint", () => {
    const { instructions, tokensAfter, tokensBefore, ...rest } = transactionOf([{
      _tag: "Token",
      amount: 5n,
      from: account(1),
      to: vault,
      mint: mints[0],
      feeBps: 0n
    }])
    const another = account(99)
    const elsewhere = (at: ReadonlyArray<SvmTransaction["tokensAfter"][number]>) =>
      at.map((each) => each.owner === vault ? { ...each, account: another } : each)
    const moved = instructions.map((each) => ({
      ...each,
      accounts: each.accounts.map((at) => at === tokensOf(vault, mints[0]) ? another : at)
    }))
    const tokens = { tokensAfter: elsewhere(tokensAfter), tokensBefore: elsewhere(tokensBefore) }
    assert.deepStrictEqual(depositsOf({ ...rest, ...tokens, instructions: moved }, depository), [])
    // This holds for an instruction of the depository, too.
    const { instructions: [said] } = transactionOf([{
      _tag: "DepositToken",
      amount: 5n,
      id: Hex32.make(NO_ID),
      from: account(1),
      mint: mints[0],
      feeBps: 0n,
      inner: false
    }])
    if (said === undefined) return assert.fail("no instruction")
    const into = { ...said, accounts: said.accounts.map((at) => at === tokensOf(vault, mints[0]) ? another : at) }
    assert.deepStrictEqual(depositsOf({ ...rest, ...tokens, instructions: [into] }, depository), [])
    assert.lengthOf(depositsOf({ ...rest, tokensAfter, tokensBefore, instructions: [said] }, depository), 1)
  })
})
