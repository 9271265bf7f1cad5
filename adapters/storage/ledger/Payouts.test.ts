/**
 * Payouts and the ledger, on both engines: money is reserved together with the payout or not at all, and never twice.
 */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { AppBalances } from "../../../ports/store/ledger/AppBalances.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { NewPayout } from "../../../ports/store/ledger/Payouts.ts"
import type { PayoutKind } from "../../../src/domain/ledger/Payout.ts"
import { payoutMovementId, signedMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import {
  accrueAppFee,
  capture,
  claim,
  credit,
  hold,
  paidOut,
  release,
  returnPayout,
  withdraw
} from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { LedgerCurrency, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { describeStores } from "../testing/stores.ts"

const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const currency: LedgerCurrency = {
  chainId: ChainId.make(616102),
  address: CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
}
const made = (result: Result.Result<Transaction, unknown>): Transaction => Result.getOrThrow(result)
const wallet = address(1)
const account = { _tag: "Wallet", wallet } as const
const fees = { _tag: "AppFeePayable", recipient: wallet } as const

const payout = (n: number, kind: PayoutKind, amount: bigint, nonce = BigInt(n)): NewPayout => ({
  id: Hex32.make(word(n)),
  kind,
  wallet,
  recipient: address(7),
  currency,
  amount,
  nonce,
  paid: { currency, amount },
  askedAt: n
})

const setAside = ({ amount: units, id, kind, nonce }: NewPayout): Transaction => {
  const of = { id: signedMovementId(kind, wallet, nonce), currency, wallet, payout: id, units }
  return made(kind === "claim" ? claim(of) : withdraw(of))
}

const ended = ({ amount: units, id, kind }: NewPayout, state: "paid" | "returned", round = 0): Transaction => {
  const of = { id: payoutMovementId(state, id, round), currency, wallet, payout: id, units }
  return made(state === "paid" ? paidOut(of) : returnPayout({ ...of, kind }))
}

describeStores(({ test }) => {
  const fund = Effect.fnUntraced(function*(balance: bigint, appFees: bigint) {
    const ledger = yield* Ledger
    yield* ledger.post(made(credit({ id: LedgerId.make("credit"), currency, wallet, units: balance })), 1)
    yield* ledger.post(
      made(accrueAppFee({ id: LedgerId.make("accrue"), currency, recipient: wallet, units: appFees })),
      1
    )
  })

  test(
    "reserves once for one payout, nothing for a refused one, and a nonce belongs to one payout of a kind",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      yield* fund(100n, 50n)
      const first = payout(1, "withdraw", 60n)
      const kept = yield* payouts.reserve(first, setAside(first))
      assert.deepStrictEqual(kept, { ...first, state: "open", endedAt: undefined, round: 0 })
      assert.deepStrictEqual(yield* payouts.reserve({ ...first, askedAt: 9 }, setAside(first)), kept)
      const refused = (each: NewPayout) =>
        Effect.map(
          Effect.flip(payouts.reserve(each, setAside(each))),
          (error) => error._tag === "LedgerRefused" ? error.reason : error._tag
        )
      assert.strictEqual(yield* refused(payout(2, "withdraw", 41n)), "overdraft")
      assert.isUndefined(yield* payouts.find(Hex32.make(word(2))))
      assert.strictEqual(yield* refused(payout(3, "withdraw", 1n, 1n)), "duplicate-id")
      assert.isUndefined(yield* payouts.find(Hex32.make(word(3))))
      const claimed = payout(4, "claim", 50n, 1n)
      yield* payouts.reserve(claimed, setAside(claimed))
      assert.deepStrictEqual([yield* ledger.balanceOf(account, currency), yield* ledger.balanceOf(fees, currency)], [
        40n,
        0n
      ])
      assert.deepStrictEqual(
        (yield* payouts.open).map(({ id }) => id),
        [first.id, claimed.id]
      )
      assert.strictEqual(yield* payouts.askedSince(wallet, 2), 1)
    })
  )

  test(
    "ends a payout once, with the money spent or returned",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      yield* fund(100n, 50n)
      const [paid, returned] = [payout(1, "withdraw", 60n), payout(2, "claim", 50n)]
      for (const each of [paid, returned]) yield* payouts.reserve(each, setAside(each))
      yield* payouts.close(paid.id, 0, "paid", ended(paid, "paid"), 5)
      yield* payouts.close(paid.id, 0, "returned", ended(paid, "returned"), 6)
      yield* payouts.close(returned.id, 0, "returned", ended(returned, "returned"), 7)
      yield* payouts.close(returned.id, 0, "returned", ended(returned, "returned"), 8)
      assert.deepStrictEqual((yield* payouts.find(paid.id))?.state, "paid")
      assert.deepStrictEqual((yield* payouts.find(returned.id))?.endedAt, 7)
      assert.deepStrictEqual([
        yield* ledger.balanceOf(account, currency),
        yield* ledger.balanceOf(fees, currency),
        yield* ledger.balanceOf({ _tag: "External" }, currency)
      ], [40n, 50n, -90n])
      assert.lengthOf(yield* payouts.open, 0)
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "reopens a payout whose payment was lost, with its money reserved again; only its next round ends it, paid or returned",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      yield* fund(100n, 50n)
      const [withdrawn, claimed] = [payout(1, "withdraw", 60n), payout(2, "claim", 50n)]
      for (const each of [withdrawn, claimed]) {
        yield* payouts.reserve(each, setAside(each))
        yield* payouts.close(each.id, 0, "paid", ended(each, "paid"), 5)
      }
      const books = Effect.gen(function*() {
        const [first, second, outside] = yield* Effect.all([
          ledger.balanceOf({ _tag: "Payout", wallet, payout: withdrawn.id }, currency),
          ledger.balanceOf({ _tag: "Payout", wallet, payout: claimed.id }, currency),
          ledger.balanceOf({ _tag: "External" }, currency)
        ])
        return [
          yield* ledger.balanceOf(account, currency),
          yield* ledger.balanceOf(fees, currency),
          first,
          second,
          outside
        ]
      })
      assert.deepStrictEqual(yield* books, [40n, 0n, 0n, 0n, -40n])
      for (const each of [withdrawn, claimed]) yield* payouts.reopen(each.id, 6)
      assert.deepStrictEqual(yield* payouts.find(withdrawn.id), {
        ...withdrawn,
        state: "open",
        endedAt: undefined,
        round: 1
      })
      assert.deepStrictEqual(yield* books, [40n, 0n, 60n, 50n, -150n])
      // A late result of the previous round's execution is ignored.
      yield* payouts.close(withdrawn.id, 0, "paid", ended(withdrawn, "paid"), 7)
      assert.deepStrictEqual(yield* books, [40n, 0n, 60n, 50n, -150n])
      assert.deepStrictEqual((yield* payouts.open).map(({ id, round }) => [id, round]), [[withdrawn.id, 1], [
        claimed.id,
        1
      ]])
      // Lost again while it is open: another round, and nothing is reserved twice.
      yield* payouts.reopen(withdrawn.id, 8)
      assert.deepStrictEqual(yield* books, [40n, 0n, 60n, 50n, -150n])
      yield* payouts.close(withdrawn.id, 2, "paid", ended(withdrawn, "paid", 2), 9)
      yield* payouts.close(withdrawn.id, 2, "paid", ended(withdrawn, "paid", 2), 9)
      yield* payouts.close(claimed.id, 1, "returned", ended(claimed, "returned", 1), 9)
      assert.deepStrictEqual(yield* books, [40n, 50n, 0n, 0n, -90n])
      // Returned money is the wallet's, even if more is lost.
      yield* payouts.reopen(claimed.id, 10)
      yield* payouts.reopen(Hex32.make(word(9)), 10)
      assert.deepStrictEqual(yield* books, [40n, 50n, 0n, 0n, -90n])
      yield* payouts.reopen(withdrawn.id, 11)
      yield* payouts.close(withdrawn.id, 3, "returned", ended(withdrawn, "returned", 3), 12)
      assert.deepStrictEqual(yield* books, [100n, 50n, 0n, 0n, -150n])
      assert.lengthOf(yield* payouts.open, 0)
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "64 concurrent spenders, of holds, withdrawals and claims, take no more than there is, and every unit is accounted for",
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const payouts = yield* Payouts
      yield* fund(100n, 20n)
      const again = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
        Effect.retry(effect, { times: 200, while: ({ _tag }) => _tag === "StoreUnavailable" })
      const spend = (n: number) =>
        Effect.gen(function*() {
          if (n % 3 === 0) {
            const open = { id: LedgerId.make(`h:${n}`), currency, wallet, request: RequestId.make(word(n)), held: 7n }
            yield* again(ledger.post(made(hold(open)), 1))
            const end = n % 2 === 0
              ? capture({ ...open, id: LedgerId.make(`c:${n}`), captured: 5n })
              : release({ ...open, id: LedgerId.make(`c:${n}`) })
            yield* again(ledger.post(made(end), 1))
          } else {
            const each = payout(n, n % 3 === 1 ? "withdraw" : "claim", 7n)
            yield* again(payouts.reserve(each, setAside(each)))
            const state = n % 4 === 1 ? "returned" : "paid"
            yield* again(payouts.close(each.id, 0, state, ended(each, state), 1))
          }
        }).pipe(Effect.match({
          onSuccess: () => "done" as const,
          onFailure: (error) => error._tag === "LedgerRefused" ? error.reason : error._tag
        }))
      const outcomes = yield* Effect.forEach(Array.from({ length: 64 }, (_, n) => n + 1), spend, {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([...new Set(outcomes)].toSorted((a, b) => a < b ? -1 : 1), ["done", "overdraft"])
      const { accountsOf } = yield* AppBalances
      const left = yield* accountsOf(wallet)
      assert.isTrue(left.every(({ units }) => units > 0n))
      assert.isTrue(left.every(({ account: { _tag } }) => _tag === "Wallet" || _tag === "AppFeePayable"))
      const revenue = yield* ledger.balanceOf({ _tag: "Revenue" }, currency)
      const outside = yield* ledger.balanceOf({ _tag: "External" }, currency)
      assert.strictEqual(left.reduce((sum, { units }) => sum + units, 0n) + revenue, -outside)
      assert.lengthOf(yield* payouts.open, 0)
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )
})
