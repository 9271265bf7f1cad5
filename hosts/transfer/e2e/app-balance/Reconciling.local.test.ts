/** Recomputes every balance, from entries and from the chain, and finds changes that the books alone would not show. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { toHex } from "viem"
import type { Address } from "viem"
import { payoutMovementId } from "../../../../src/domain/ledger/LedgerIds.ts"
import { credit, paidOut, reopenPayout, withdraw } from "../../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../../src/domain/ledger/Transaction.ts"
import { Address as WalletAddress } from "../../../../src/domain/chain/Address.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { marked, startCreditFixture, transferCall } from "./testing/CreditFixture.ts"

class Fixture extends fixtureOf<Fixture>()("test/ReconcilingStage", startCreditFixture) {}

const [USDC, USDT] = [addressOf("TestUSDC"), addressOf("TestUSDT")]
const fresh = (index: number): Address => toHex(0x2ec_0000_0000n + BigInt(index), { size: 20 })
const all = { from: 0n, whole: 1_000n }

layer(Fixture.layer, { excludeTestServices: true })("the reconciliation", (it) => {
  it.effect("agrees with correct books, and lists arrivals that credit nobody, with the reason", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, crediting, send, solver, user } = yield* Fixture
      const { reconcile, settled } = yield* crediting()
      yield* send(0, { to: USDC, data: transferCall(solver, 5n, marked(fresh(1))) })
      yield* anvil.mine(30)
      yield* send(0, { to: USDC, data: transferCall(solver, 7n, marked(fresh(2))) })
      const plain = yield* send(0, { to: USDC, data: transferCall(solver, 11n) })
      const other = yield* send(0, { to: USDT, data: transferCall(solver, 13n, marked(fresh(2))) })
      const failed = yield* send(0, {
        to: USDC,
        data: transferCall(solver, 10n ** 15n, marked(fresh(2))),
        gas: 200_000n
      })
      yield* settled
      const found = yield* reconcile(all)
      const sender = user(0).toLowerCase()
      // The solver got money when the chain was set up: that is an arrival too.
      const uncredited = [plain, other, failed].map((hash) =>
        found.uncredited.find(({ transactionId }) => transactionId === hash)
      )
      assert.deepStrictEqual({ ...found, uncredited }, {
        differences: [],
        unfounded: [],
        missed: [],
        unpaid: [],
        credited: 12n,
        received: 12n,
        uncredited: [
          { transactionId: plain, sender, amount: 11n, reason: "unmarked" },
          { transactionId: other, sender, amount: 0n, reason: "not-a-call-to-the-token" },
          { transactionId: failed, sender, amount: 0n, reason: "reverted" }
        ]
      })
      const first = yield* reconcile({ from: undefined, whole: 0n })
      assert.deepStrictEqual([
        first.credited,
        first.received,
        first.uncredited.map(({ transactionId }) => transactionId)
      ], [12n, 12n, [plain]])
      const late = yield* reconcile({ from: 40n, whole: 0n })
      assert.deepStrictEqual([late.credited, late.received, late.missed.length, late.unfounded.length], [7n, 7n, 0, 0])
    })))

  it.effect("reports changes made behind the ledger's back: a balance, an invented credit, a missing one, a payout that was never paid", () =>
    Effect.scoped(Effect.gen(function*() {
      const { crediting, send, solver } = yield* Fixture
      const { context, currency, ledger, reconcile, settled } = yield* crediting()
      const altered = yield* send(1, { to: USDC, data: transferCall(solver, 19n, marked(fresh(5))) })
      const doubled = yield* send(1, { to: USDC, data: transferCall(solver, 23n, marked(fresh(6))) })
      const lost = yield* send(1, { to: USDC, data: transferCall(solver, 17n, marked(fresh(3))) })
      yield* settled
      const honest = yield* reconcile(all)
      assert.deepStrictEqual([honest.differences, honest.unfounded, honest.missed, honest.unpaid], [[], [], [], []])

      const sql = Context.get(context, SqlClient.SqlClient)
      const wallet = WalletAddress.make(fresh(4))
      const forged = Result.getOrThrow(
        credit({
          id: LedgerId.make(`credit:${currency.chainId}:0x${"ab".repeat(32)}:0`),
          currency,
          wallet,
          units: 100n
        })
      )
      yield* ledger.post(forged, 1)
      const of = { currency, wallet, payout: Hex32.make(`0x${"cd".repeat(32)}`), units: 30n }
      yield* ledger.post(Result.getOrThrow(withdraw({ ...of, id: LedgerId.make("w") })), 2)
      // A payout that was lost and is owed again is not booked as paid.
      const lostPayout = { ...of, payout: Hex32.make(`0x${"ce".repeat(32)}`) }
      yield* ledger.post(Result.getOrThrow(withdraw({ ...lostPayout, id: LedgerId.make("x") })), 2)
      yield* ledger.post(
        Result.getOrThrow(paidOut({ ...lostPayout, id: payoutMovementId("paid", lostPayout.payout, 0) })),
        2
      )
      yield* ledger.post(
        Result.getOrThrow(reopenPayout({ ...lostPayout, id: payoutMovementId("reopened", lostPayout.payout, 0) })),
        2
      )
      yield* ledger.post(Result.getOrThrow(paidOut({ ...of, id: payoutMovementId("paid", of.payout, 0) })), 3)
      const remove = Effect.fnUntraced(function*(hash: string) {
        yield* sql`DELETE FROM ledger_entries WHERE transaction_id LIKE ${`credit:%:${hash}:%`}`
        yield* sql`DELETE FROM ledger_transactions WHERE id LIKE ${`credit:%:${hash}:%`}`
      })
      const book = (hash: string, to: WalletAddress, units: bigint) => {
        const movement = Result.getOrThrow(
          credit({ id: LedgerId.make(`credit:${currency.chainId}:${hash}:999`), currency, wallet: to, units })
        )
        return Effect.as(ledger.post(movement, 9_000_000_000_000), movement.id)
      }
      yield* remove(lost)
      yield* remove(altered)
      const another = yield* book(altered, WalletAddress.make(fresh(5)), 1_900n)
      const second = yield* book(doubled, WalletAddress.make(fresh(6)), 23n)
      const found = yield* reconcile(all)
      assert.sameDeepMembers([...found.unfounded], [
        { id: forged.id, wallet, amount: 100n },
        { id: another, wallet: fresh(5), amount: 1_900n },
        { id: second, wallet: fresh(6), amount: 23n }
      ])
      assert.strictEqual(found.credited - found.received, 2_023n)
      assert.deepStrictEqual(found.missed, [{ id: lost, wallet: fresh(3), amount: 17n }])
      assert.deepStrictEqual(found.unpaid, [{ id: payoutMovementId("paid", of.payout, 0), wallet, amount: 30n }])
      // The stored balances of the wallet and of the outside world no longer follow from their entries.
      assert.deepStrictEqual(
        found.differences.map(({ account, kept, summed }) => [account, kept - summed]).toSorted(([a], [b]) =>
          `${a}` < `${b}` ? -1 : 1
        ),
        [
          ["External", -36n],
          [`Wallet:${fresh(3)}`, 17n],
          [`Wallet:${fresh(5)}`, 19n]
        ]
      )
    })))
})
