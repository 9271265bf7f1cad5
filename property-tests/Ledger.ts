/**
 * The laws of a double-entry ledger (LEDGER-1), for any implementation, in memory or over a database.
 *
 * Driven by random transactions, valid and invalid, and by a model that knows what each movement needs. Concurrency of
 * a store is tested in its own suite. Here one movement is posted after another, in any interleaving.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { Account, accountKey, isFunded, mayHave } from "../src/domain/ledger/Account.ts"
import {
  currencyKey,
  type LedgerCurrency,
  LedgerId,
  type Posting,
  postingKey,
  transaction,
  type Transaction
} from "../src/domain/ledger/Transaction.ts"
import { ChainId } from "../src/domain/chain/ChainId.ts"
import { type Law, law, must } from "./Law.ts"
import {
  type Attempt,
  attempts,
  currency,
  Model,
  payouts,
  recipients,
  requests,
  type Step,
  stepOf,
  wallets
} from "./LedgerModel.ts"

/** The ledger under test. */
export interface LedgerUnderTest<L, E> {
  readonly empty: L
  readonly post: (ledger: L, transaction: Transaction) => Result.Result<L, E>
  readonly balanceOf: (ledger: L, account: Account, currency: LedgerCurrency) => bigint
  /** Oldest first. */
  readonly transactions: (ledger: L) => Iterable<Transaction>
}

const { AppFeePayable, AppFeePending, External, Hold, Payout, Receivable, Revenue, Wallet } = Account.cases

const accounts: ReadonlyArray<Account> = [
  External.make({}),
  Revenue.make({}),
  ...wallets.flatMap((
    wallet
  ) => [
    Wallet.make({ wallet }),
    Receivable.make({ wallet }),
    ...requests.map((request) => Hold.make({ wallet, request }))
  ]),
  ...recipients.flatMap((recipient) => [AppFeePayable.make({ recipient }), AppFeePending.make({ recipient })]),
  ...payouts.flatMap((payout) => [...wallets, ...recipients].map((wallet) => Payout.make({ wallet, payout })))
]
const currencies: ReadonlyArray<LedgerCurrency> = [currency, { ...currency, chainId: ChainId.make(1) }]

const amount = fc.oneof(fc.bigInt({ min: -5n, max: 5n }), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
const posting: fc.Arbitrary<Posting> = fc.record({
  account: fc.constantFrom(...accounts),
  currency: fc.constantFrom(...currencies),
  units: amount
})

/**
 * Two postings that balance, so that some are accepted. Sometimes in two currencies, so that they only seem to balance.
 */
const pair = fc.tuple(
  fc.constantFrom(...accounts),
  fc.constantFrom(External.make({}), ...accounts),
  fc.constantFrom(...currencies),
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...currencies) }),
  amount
).map(([to, from, currency, other, units]): ReadonlyArray<Posting> => [
  { account: to, currency, units },
  { account: from, currency: other ?? currency, units: -units }
])

const anyTransaction: fc.Arbitrary<Transaction> = fc.tuple(
  fc.nat({ max: 40 }),
  fc.oneof({ weight: 6, arbitrary: fc.array(pair, { minLength: 1, maxLength: 3 }) }, {
    weight: 1,
    arbitrary: fc.array(fc.array(posting, { maxLength: 3 }), { maxLength: 2 })
  })
).map(([number, postings]) => transaction(LedgerId.make(`any:${number}`), "credit", postings.flat()))

const histories = fc.array(anyTransaction, { maxLength: 30 })

const zeroInEach = (postings: ReadonlyArray<Posting>): boolean =>
  currencies.every((each) =>
    postings.reduce(
      (sum, { currency, units }) => currencyKey(currency) === currencyKey(each) ? sum + units : sum,
      0n
    ) === 0n
  )

const figuresOf = <L, E>(ledger: LedgerUnderTest<L, E>, state: L): string =>
  currencies.flatMap((each) =>
    accounts.map((account) => `${accountKey(account)} ${ledger.balanceOf(state, account, each)}`)
  ).join()

const onHistories = <L, E>(
  name: string,
  ledger: LedgerUnderTest<L, E>,
  check: (state: L, history: ReadonlyArray<Transaction>) => void
): Law =>
  law(
    `ledger: ${name}`,
    fc.property(histories, (history) => {
      const state = history.reduce(
        (state, each) => Result.getOrElse(ledger.post(state, each), () => state),
        ledger.empty
      )
      check(state, history)
    })
  )

const anyHistory = <L, E>(ledger: LedgerUnderTest<L, E>): ReadonlyArray<Law> => [
  onHistories("what was accepted sums to zero in each currency, money and promises apart", ledger, (state) => {
    for (const { postings } of ledger.transactions(state)) {
      must(zeroInEach(postings), "an unbalanced movement was accepted")
      must(zeroInEach(postings.filter(({ account }) => isFunded(account))), "a promise became money")
      must(postings.length > 0, "a movement of nothing was accepted")
    }
  }),
  onHistories("no account ever passes zero", ledger, (state) => {
    for (const account of accounts) {
      for (const each of currencies) {
        must(mayHave(account, ledger.balanceOf(state, account, each)), `${accountKey(account)} passed zero`)
      }
    }
  }),
  onHistories("every balance is the sum of its entries", ledger, (state) => {
    const entries = [...ledger.transactions(state)].flatMap(({ postings }) => postings)
    for (const account of accounts) {
      for (const currency of currencies) {
        const key = postingKey({ account, currency, units: 0n })
        const sum = entries.reduce((sum, entry) => (postingKey(entry) === key ? sum + entry.units : sum), 0n)
        must(ledger.balanceOf(state, account, currency) === sum, `${key} is not the sum of its entries`)
      }
    }
  }),
  onHistories(
    "no entry twice: an id is kept once, again is the same as once, and with another content it is refused",
    ledger,
    (state) => {
      const kept = [...ledger.transactions(state)]
      must(new Set(kept.map(({ id }) => id)).size === kept.length, "an id was kept twice")
      for (const each of kept) {
        const again = ledger.post(state, { ...each, postings: each.postings.toReversed() })
        must(
          Result.isSuccess(again) && figuresOf(ledger, again.success) === figuresOf(ledger, state),
          "again is not the same as once"
        )
        must(
          Result.isSuccess(again) && [...ledger.transactions(again.success)].length === kept.length,
          "again was kept again"
        )
        const doubled = each.postings.map((posting) => ({ ...posting, units: posting.units * 2n }))
        must(
          Result.isFailure(ledger.post(state, { ...each, postings: doubled })),
          "another content was accepted under the id"
        )
        must(Result.isFailure(ledger.post(state, { ...each, kind: "claim" })), "another kind was accepted under the id")
      }
    }
  ),
  law(
    "ledger: append-only: what was accepted stays, in order, and a posting never changes the ledger it was posted to",
    fc.property(histories, anyTransaction, (history, next) => {
      const state = history.reduce(
        (state, each) => Result.getOrElse(ledger.post(state, each), () => state),
        ledger.empty
      )
      const [before, figures] = [[...ledger.transactions(state)].map(({ id }) => id), figuresOf(ledger, state)]
      const after = Result.getOrElse(ledger.post(state, next), () => state)
      must(
        [...ledger.transactions(after)].map(({ id }) => id).slice(0, before.length).join() === before.join(),
        "an entry went away"
      )
      must(figuresOf(ledger, state) === figures, "the old ledger changed")
    })
  )
]

/** Tries a step on a ledger. Returns the new ledger, or undefined when the movement or its posting was refused. */
const attempt = <L, E>(ledger: LedgerUnderTest<L, E>, state: L, { transaction }: Step): L | undefined => {
  const posted = Result.isSuccess(transaction) ? ledger.post(state, transaction.success) : undefined
  return posted !== undefined && Result.isSuccess(posted) ? posted.success : undefined
}

const agreesWith = <L, E>(ledger: LedgerUnderTest<L, E>, state: L, model: Model): void => {
  const balance = (account: Account) => ledger.balanceOf(state, account, currency)
  const expect = (account: Account, name: string, sign: bigint) =>
    must(
      balance(account) === sign * model.get(name),
      `${name}: ${balance(account)} instead of ${sign * model.get(name)}`
    )
  expect(External.make({}), "received", -1n)
  expect(Revenue.make({}), "revenue", 1n)
  wallets.forEach((wallet, who) => {
    expect(Wallet.make({ wallet }), `wallet ${who}`, 1n)
    expect(Receivable.make({ wallet }), `owed ${who}`, -1n)
    requests.forEach((request, at) => expect(Hold.make({ wallet, request }), `hold ${who} ${at}`, 1n))
    payouts.forEach((payout, at) => expect(Payout.make({ wallet, payout }), `payout ${who} ${at}`, 1n))
  })
  recipients.forEach((recipient, at) => {
    expect(AppFeePayable.make({ recipient }), `payable ${at}`, 1n)
    expect(AppFeePending.make({ recipient }), `pending ${at}`, 1n)
    payouts.forEach((payout, of) =>
      expect(Payout.make({ wallet: recipient, payout }), `claimed ${at === of ? at : "of none"}`, 1n)
    )
  })
}

const claimable = <L, E>(ledger: LedgerUnderTest<L, E>, state: L): bigint =>
  accounts.filter((account) => isFunded(account) && account._tag !== "External")
    .reduce((sum, account) => sum + ledger.balanceOf(state, account, currency), 0n)

class TryMovement<L, E> implements fc.Command<Model, { state: L }> {
  readonly ledger: LedgerUnderTest<L, E>
  readonly tried: Attempt
  constructor(ledger: LedgerUnderTest<L, E>, tried: Attempt) {
    this.ledger = ledger
    this.tried = tried
  }
  check(): boolean {
    return true
  }
  run(model: Model, real: { state: L }): void {
    const step = stepOf(model, this.tried)
    const id = `${this.tried.operation}:${this.tried.number}`
    const known = model.known.get(id)
    const after = attempt(this.ledger, real.state, step)
    const allowed = known === undefined ? step.allowed : known === step.content
    must((after !== undefined) === allowed, `${id} was ${after === undefined ? "refused" : "accepted"}`)
    if (after === undefined) return
    if (known === undefined) step.apply()
    model.known.set(id, step.content)
    real.state = after
    agreesWith(this.ledger, after, model)
    must(claimable(this.ledger, after) <= model.get("received"), "more can be claimed than was received")
  }
  toString(): string {
    const { number, off, operation, request, units, who } = this.tried
    return `${operation}:${number}(wallet ${who}, request ${request}, ${units}${
      off === 0n ? "" : `, held off by ${off}`
    })`
  }
}

const movements = <L, E>(ledger: LedgerUnderTest<L, E>): ReadonlyArray<Law> => [
  law(
    "ledger: any interleaving of credits, holds, captures, releases, promises and payouts does what the rules say, and no more can be claimed than was received",
    fc.property(
      fc.commands([attempts.map((tried) => new TryMovement(ledger, tried))], { maxCommands: 60 }),
      (commands) => fc.modelRun(() => ({ model: new Model(), real: { state: ledger.empty } }), commands)
    )
  ),
  law(
    "ledger: two wallets never disturb each other: any interleaving ends as one after the other",
    fc.property(fc.array(attempts, { maxLength: 40 }), (tried) => {
      const apart = tried.map((each, at) => ({ ...each, number: at, request: each.who }))
      const run = (order: ReadonlyArray<Attempt>) => {
        const model = new Model()
        return order.reduce((state, each) => {
          const step = stepOf(model, each)
          const after = attempt(ledger, state, step)
          if (after !== undefined) step.apply()
          return after ?? state
        }, ledger.empty)
      }
      const ordered = apart.toSorted((a, b) => a.who - b.who)
      must(figuresOf(ledger, run(apart)) === figuresOf(ledger, run(ordered)), "the interleaving mattered")
    })
  )
]

/** All laws of a ledger, with amounts in any currency and ids chosen by the caller. */
export const ledgerLaws = <L, E>(
  ledger: LedgerUnderTest<L, E>
): ReadonlyArray<Law> => [...anyHistory(ledger), ...movements(ledger)]
