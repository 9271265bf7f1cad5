/**
 * Movements one by one: what they post, and how they are refused (SPONSOR-9, SPONSOR-12, LEDGER-1). The laws are in
 * property-tests/Ledger.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../chain/ChainId.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { RequestId } from "../transfer/RequestId.ts"
import { type Account, accountKey } from "./Account.ts"
import { balanceOf, debtOf, emptyLedger, type Ledger, post, sumPostings } from "./Ledger.ts"
import { accrualId, creditId, payoutMovementId, signedMovementId, sponsorMovementId } from "./LedgerIds.ts"
import { ledgerReasons, type LedgerRefused } from "./LedgerRefused.ts"
import {
  accrueAppFee,
  bookReceivable,
  capture,
  claim,
  credit,
  hold,
  paidOut,
  release,
  reopenPayout,
  returnPayout,
  settleReceivable,
  withdraw
} from "./Movements.ts"
import {
  type LedgerCurrency,
  LedgerId,
  type Posting,
  postingKey,
  sameTransaction,
  type Transaction,
  transaction
} from "./Transaction.ts"

const address = (digit: string): Address => Result.getOrThrow(ethereumAddresses.parse(`0x${digit.repeat(40)}`))
const [wallet, recipient] = [address("a"), address("c")]
const request = RequestId.make(`0x${"1".repeat(64)}`)
const currency: LedgerCurrency = { chainId: ChainId.make(8453), address: ethereumAddresses.nativeCurrency }
const id = (text: string) => LedgerId.make(text)

type Made = Result.Result<Transaction, LedgerRefused>
const after = (...made: ReadonlyArray<Made>): Ledger =>
  made.reduce((ledger, each) => Result.getOrThrow(post(ledger, Result.getOrThrow(each))), emptyLedger)
const refusal = (ledger: Ledger, made: Made) => {
  const result = Result.flatMap(made, (each) => post(ledger, each))
  return Result.isFailure(result) ? [result.failure.reason, result.failure.account] : ["accepted"]
}
const has = (ledger: Ledger, account: Account) => balanceOf(ledger, account, currency)

const credited = credit({ id: id("credit"), currency, wallet, units: 100n })
const open = { id: id("hold"), currency, wallet, request, held: 60n }
const held = hold(open)
const payout = Hex32.make(`0x${"2".repeat(64)}`)
const claimed = { id: id("claim"), currency, wallet: recipient, payout }
const promised = {
  id: id("promise"),
  currency,
  wallet,
  shares: [{ recipient, units: 30n }, { recipient: address("d"), units: 10n }]
}

describe("holds", () => {
  it("a capture earns its part and releases the rest", () => {
    const ledger = after(credited, held, capture({ ...open, id: id("capture"), captured: 45n }))
    assert.strictEqual(has(ledger, { _tag: "Wallet", wallet }), 55n)
    assert.strictEqual(has(ledger, { _tag: "Revenue" }), 45n)
    assert.strictEqual(has(ledger, { _tag: "Hold", wallet, request }), 0n)
    assert.strictEqual(has(ledger, { _tag: "External" }), -100n)
  })

  it("a release gives all of it back", () => {
    const ledger = after(credited, held, release({ ...open, id: id("release") }))
    assert.strictEqual(has(ledger, { _tag: "Wallet", wallet }), 100n)
  })

  it("a capture of nothing gives all of it back", () => {
    const ledger = after(credited, held, capture({ ...open, id: id("capture"), captured: 0n }))
    assert.deepStrictEqual([has(ledger, { _tag: "Wallet", wallet }), has(ledger, { _tag: "Revenue" })], [100n, 0n])
  })

  it("two requests can never spend the same balance", () => {
    const other = hold({ ...open, id: id("other"), request: RequestId.make(`0x${"2".repeat(64)}`) })
    assert.deepStrictEqual(refusal(after(credited, held), other), ["overdraft", `Wallet:${wallet}`])
  })

  it("cannot be captured beyond what is held, nor left partly open, nor closed twice", () => {
    const ledger = after(credited, held)
    const key = accountKey({ _tag: "Hold", wallet, request })
    assert.deepStrictEqual(refusal(ledger, capture({ ...open, id: id("c"), captured: 61n })), [
      "invalid-amount",
      undefined
    ])
    assert.deepStrictEqual(refusal(ledger, capture({ ...open, id: id("c"), captured: -1n })), [
      "invalid-amount",
      undefined
    ])
    assert.deepStrictEqual(refusal(ledger, capture({ ...open, id: id("c"), held: 0n, captured: 0n })), [
      "invalid-amount",
      undefined
    ])
    assert.deepStrictEqual(refusal(ledger, release({ ...open, id: id("r"), held: 59n })), ["hold-left-open", key])
    assert.deepStrictEqual(refusal(ledger, release({ ...open, id: id("r"), held: 61n })), ["overdraft", key])
    assert.deepStrictEqual(
      refusal(
        after(credited, held, release({ ...open, id: id("r") })),
        capture({ ...open, id: id("c"), captured: 1n })
      ),
      ["overdraft", key]
    )
    assert.deepStrictEqual(refusal(ledger, capture({ ...open, id: id("c"), captured: 60n })), ["accepted"])
  })
})

describe("app fees", () => {
  it("a sponsored one has no owner until the sponsor has paid it", () => {
    const booked = after(credited, bookReceivable(promised))
    assert.strictEqual(has(booked, { _tag: "Wallet", wallet }), 100n)
    assert.strictEqual(has(booked, { _tag: "Receivable", wallet }), -40n)
    assert.strictEqual(has(booked, { _tag: "AppFeePending", recipient }), 30n)
    assert.deepStrictEqual(refusal(booked, claim({ ...claimed, units: 1n })), [
      "overdraft",
      `AppFeePayable:${recipient}`
    ])
    const settled = after(credited, bookReceivable(promised), settleReceivable({ ...promised, id: id("settle") }))
    assert.strictEqual(has(settled, { _tag: "Wallet", wallet }), 60n)
    assert.strictEqual(has(settled, { _tag: "Receivable", wallet }), 0n)
    assert.deepStrictEqual(refusal(settled, claim({ ...claimed, units: 30n })), ["accepted"])
    assert.deepStrictEqual(refusal(settled, claim({ ...claimed, units: 31n })), [
      "overdraft",
      `AppFeePayable:${recipient}`
    ])
  })

  it("a settlement of an unowed amount is refused", () => {
    assert.strictEqual(refusal(after(credited), settleReceivable(promised))[0], "overdraft")
  })

  it("one sponsor's debt is not paid by another, nor to another recipient, nor beyond what is owed", () => {
    const other = Result.getOrThrow(ethereumAddresses.parse(`0x${"e".repeat(40)}`))
    const shares = (units: bigint, to = recipient) => [{ recipient: to, units }]
    const ledger = after(
      credited,
      bookReceivable({ ...promised, shares: shares(30n) }),
      bookReceivable({ ...promised, id: id("receivable of another"), wallet: other, shares: shares(20n) }),
      bookReceivable({ ...promised, id: id("receivable for another"), shares: shares(10n, other) })
    )
    const settle = (units: bigint, changes: object = {}) =>
      refusal(ledger, settleReceivable({ ...promised, id: id("settle"), shares: shares(units), ...changes }))
    // Enough is owed to the recipient and by the wallet, but not by the wallet to the recipient.
    assert.deepStrictEqual(settle(31n), ["not-owed", undefined])
    assert.deepStrictEqual(settle(30n), ["accepted"])
    assert.deepStrictEqual(settle(11n, { shares: shares(11n, other) })[0], "overdraft")
    assert.strictEqual(debtOf(ledger, { wallet, recipient, currency }), 30n)
    const paid = Result.getOrThrow(
      post(ledger, Result.getOrThrow(settleReceivable({ ...promised, id: id("settle"), shares: shares(29n) })))
    )
    assert.deepStrictEqual([
      debtOf(paid, { wallet, recipient, currency }),
      debtOf(paid, { wallet: other, recipient, currency })
    ], [1n, 20n])
    // It must be clear whose promise moves.
    const moving = (...postings: ReadonlyArray<Posting>) => Result.succeed(transaction(id("t"), "settle", postings))
    const nobodys = moving({ account: { _tag: "AppFeePending", recipient }, currency, units: -5n }, {
      account: { _tag: "AppFeePending", recipient: other },
      currency,
      units: 5n
    })
    assert.deepStrictEqual(refusal(ledger, nobodys), ["not-owed", undefined])
    const handedOn = moving({ account: { _tag: "Receivable", wallet }, currency, units: 5n }, {
      account: { _tag: "Receivable", wallet: other },
      currency,
      units: -5n
    })
    assert.deepStrictEqual(refusal(ledger, handedOn), ["not-owed", undefined])
  })

  it("one that a user paid can be claimed at once", () => {
    const ledger = after(
      accrueAppFee({ id: id("accrue"), currency, recipient, units: 9n }),
      claim({ ...claimed, units: 9n })
    )
    assert.strictEqual(has(ledger, { _tag: "Payout", wallet: recipient, payout }), 9n)
    assert.strictEqual(
      has(
        after(
          accrueAppFee({ id: id("accrue"), currency, recipient, units: 9n }),
          claim({ ...claimed, units: 9n }),
          paidOut({ ...claimed, id: id("p"), units: 9n })
        ),
        { _tag: "External" }
      ),
      0n
    )
  })

  it("shares are at least one, and all above zero", () => {
    assert.strictEqual(refusal(emptyLedger, bookReceivable({ ...promised, shares: [] }))[0], "invalid-amount")
    assert.strictEqual(
      refusal(
        emptyLedger,
        bookReceivable({ ...promised, shares: [{ recipient, units: 1n }, { recipient, units: 0n }] })
      )[0],
      "invalid-amount"
    )
  })
})

it("a withdrawal takes unspent balance only", () => {
  const of = { id: id("w"), currency, wallet, payout }
  assert.deepStrictEqual(refusal(after(credited, held), withdraw({ ...of, units: 41n })), [
    "overdraft",
    `Wallet:${wallet}`
  ])
  const withdrawn = after(credited, held, withdraw({ ...of, units: 40n }))
  assert.strictEqual(has(withdrawn, { _tag: "External" }), -100n)
  assert.strictEqual(has(withdrawn, { _tag: "Payout", wallet, payout }), 40n)
})

describe("a payout's reserved money", () => {
  const of = { id: id("w"), currency, wallet, payout, units: 40n }
  const asked = [credited, withdraw(of)] as const

  it("is paid, or returned where it was: whole, and once", () => {
    assert.strictEqual(has(after(...asked, paidOut({ ...of, id: id("p") })), { _tag: "External" }), -60n)
    assert.strictEqual(
      has(after(...asked, returnPayout({ ...of, id: id("r"), kind: "withdraw" })), { _tag: "Wallet", wallet }),
      100n
    )
    const key = accountKey({ _tag: "Payout", wallet, payout })
    assert.deepStrictEqual(refusal(after(...asked), paidOut({ ...of, id: id("p"), units: 39n })), [
      "hold-left-open",
      key
    ])
    assert.deepStrictEqual(
      refusal(after(...asked, paidOut({ ...of, id: id("p") })), returnPayout({ ...of, id: id("r"), kind: "withdraw" })),
      ["overdraft", key]
    )
  })

  it("of app fees returns to app fees", () => {
    const fees = [
      accrueAppFee({ id: id("accrue"), currency, recipient, units: 9n }),
      claim({ ...claimed, units: 9n })
    ] as const
    const returned = after(...fees, returnPayout({ ...claimed, id: id("r"), kind: "claim", units: 9n }))
    assert.strictEqual(has(returned, { _tag: "AppFeePayable", recipient }), 9n)
  })
})

describe("refused for any caller", () => {
  const external: Account = { _tag: "External" }
  const walletAccount: Account = { _tag: "Wallet", wallet }
  const made = (...postings: ReadonlyArray<Posting>): Made => Result.succeed({ id: id("x"), kind: "credit", postings })

  it("amounts of zero or less", () => {
    for (const units of [0n, -5n]) {
      assert.deepStrictEqual(refusal(emptyLedger, credit({ id: id("x"), currency, wallet, units })), [
        "invalid-amount",
        undefined
      ])
    }
  })

  it("an empty movement, one that does not sum to zero in each currency, and debts turned into money", () => {
    assert.deepStrictEqual(refusal(emptyLedger, made()), ["empty", undefined])
    assert.deepStrictEqual(refusal(emptyLedger, made({ account: external, currency, units: 0n })), ["empty", undefined])
    const other = { ...currency, chainId: ChainId.make(1) }
    assert.deepStrictEqual(
      refusal(
        emptyLedger,
        made({ account: external, currency, units: -1n }, { account: walletAccount, currency: other, units: 1n })
      ),
      ["unbalanced", undefined]
    )
    assert.deepStrictEqual(
      refusal(
        emptyLedger,
        made({ account: { _tag: "Receivable", wallet }, currency, units: -1n }, {
          account: walletAccount,
          currency,
          units: 1n
        })
      ),
      ["unfunded", undefined]
    )
  })

  it("an id that was used for something else; the same movement again changes nothing", () => {
    const ledger = after(credited)
    assert.deepStrictEqual(refusal(ledger, credit({ id: id("credit"), currency, wallet, units: 101n })), [
      "duplicate-id",
      undefined
    ])
    assert.strictEqual(Result.getOrThrow(post(ledger, Result.getOrThrow(credited))), ledger)
  })

  it("an account without that side: no outside account may owe more than it received", () => {
    assert.deepStrictEqual(refusal(emptyLedger, paidOut({ id: id("w"), currency, wallet, payout, units: 1n })), [
      "overdraft",
      "External"
    ])
  })
})

describe("a transaction", () => {
  const postings: ReadonlyArray<Posting> = [
    { account: { _tag: "Wallet", wallet }, currency, units: 3n },
    { account: { _tag: "External" }, currency, units: -4n },
    { account: { _tag: "Wallet", wallet }, currency, units: 1n },
    { account: { _tag: "Revenue" }, currency, units: 0n }
  ]

  it("has one canonical form", () => {
    const canonical = transaction(id("t"), "credit", postings)
    assert.deepStrictEqual(canonical.postings.map(({ account, units }) => [account._tag, units]), [["External", -4n], [
      "Wallet",
      4n
    ]])
    assert.isTrue(sameTransaction(canonical, { id: id("t"), kind: "credit", postings: postings.toReversed() }))
    assert.isFalse(sameTransaction(canonical, { ...canonical, kind: "claim" }))
    assert.isFalse(sameTransaction(canonical, { ...canonical, id: id("u") }))
    assert.isFalse(sameTransaction(canonical, { ...canonical, postings: [] }))
  })

  it("its accounts never share a key", () => {
    const accounts: ReadonlyArray<Account> = [
      { _tag: "External" },
      { _tag: "Revenue" },
      { _tag: "Wallet", wallet },
      { _tag: "Receivable", wallet },
      { _tag: "Hold", wallet, request },
      { _tag: "Payout", wallet, payout },
      { _tag: "AppFeePayable", recipient: wallet },
      { _tag: "AppFeePending", recipient: wallet },
      { _tag: "Wallet", wallet: recipient }
    ]
    assert.strictEqual(new Set(accounts.map(accountKey)).size, accounts.length)
    assert.strictEqual(
      postingKey({ account: { _tag: "Revenue" }, currency, units: 1n }),
      `Revenue@8453:${currency.address}`
    )
  })
})

it("reconciliation: the kept balances are the sums of the entries", () => {
  const ledger = after(credited, held, capture({ ...open, id: id("capture"), captured: 45n }))
  assert.strictEqual(Chunk.size(ledger.transactions), 3)
  assert.deepStrictEqual(
    [...sumPostings(ledger.transactions)].filter(([key, sum]) =>
      sum !== [...ledger.balances].find(([name]) => name === key)?.[1]
    ),
    []
  )
  assert.strictEqual(sumPostings(ledger.transactions).get(`Wallet:${wallet}@8453:${currency.address}`), 55n)
})

it("every movement says what it is", () => {
  const of = { ...open, recipient, payout, kind: "claim" as const, units: 1n, captured: 1n, shares: promised.shares }
  for (
    const [kind, make] of Object.entries({
      credit,
      hold,
      capture,
      release,
      withdraw,
      claim,
      receivable: bookReceivable,
      settle: settleReceivable,
      accrue: accrueAppFee,
      paid: paidOut,
      reopened: reopenPayout,
      returned: returnPayout
    })
  ) {
    assert.strictEqual(Result.getOrThrow(make(of)).kind, kind)
  }
})

it("ids identify a movement, so that it happens once", () => {
  const transactionId = TransactionId.make(`0x${"ab".repeat(32)}`)
  const deposit = Hex32.make(`0x${"cd".repeat(32)}`)
  assert.strictEqual(
    creditId({ chainId: ChainId.make(8453), transactionId, logIndex: 7 }),
    `credit:8453:${transactionId}:7`
  )
  // The exact text in stored ledgers. With another text the same fees would be booked again.
  assert.strictEqual(accrualId(request, deposit), `accrue:${request}:${deposit}@final`)
  assert.strictEqual(sponsorMovementId("hold", request, 1), `hold:${request}:1`)
  assert.strictEqual(signedMovementId("claim", wallet, 3n), `claim:${wallet}:3`)
  assert.strictEqual(payoutMovementId("paid", deposit, 0), `paid:${deposit}`)
  assert.strictEqual(payoutMovementId("reopened", deposit, 2), `reopened:${deposit}:2`)
})

it("the reasons are append-only", () => {
  assert.deepStrictEqual(
    [...ledgerReasons],
    ["empty", "invalid-amount", "unbalanced", "unfunded", "duplicate-id", "overdraft", "hold-left-open", "not-owed"]
  )
})
