/**
 * Holds of sponsors' money in SQL, one text for both engines: hold, budget and ledger move in one transaction.
 *
 * Rows are locked in one order (the request's, the deposit address's, the budget's, the ledger's accounts), so that
 * nobody waits in a circle. A hold that was given back may be placed again: each round has movements of its own in the
 * ledger.
 */
import { Data, Effect, Layer, Schema } from "effect"
import type { Result } from "effect"
import { SqlClient } from "effect/sql"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import type { AtAddress, HoldOutcome, Settlement, SponsorHold } from "../../../ports/store/ledger/SponsorHolds.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { sponsorMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import type { LedgerRefused } from "../../../src/domain/ledger/LedgerRefused.ts"
import { MicroUsdc, MicroUsdcFromString } from "../../../src/domain/ledger/MicroUsdc.ts"
import {
  bookReceivable,
  capture,
  hold as holdMovement,
  release as releaseMovement
} from "../../../src/domain/ledger/Movements.ts"
import { LedgerCurrency } from "../../../src/domain/ledger/Transaction.ts"
import type { Transaction } from "../../../src/domain/ledger/Transaction.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { minOf } from "../../../src/domain/money/Rounding.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import { Charge } from "../../../src/domain/sponsorship/Charge.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { unendedStatuses } from "../../../src/domain/transfer/Status.ts"
import { TransferTerms } from "../../../src/domain/transfer/Transfer.ts"
import { giveBack, giveBackLater, spend, spendLater } from "./BudgetSpent.ts"
import { JsonText, Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

/** `none` and `released`: nothing is held. */
const State = Schema.Literals(["none", "open", "released", "settled"])

const Row = Schema.Struct({
  state: State,
  round: SqlInt,
  key_id: Schema.NullOr(ApiKeyId),
  wallet: Schema.NullOr(Address),
  recipient: Schema.NullOr(Address),
  currency: Schema.NullOr(JsonText(LedgerCurrency)),
  held: MicroUsdcFromString,
  held_at: Millis,
  address: Schema.NullOr(Address),
  later: Schema.NullOr(MicroUsdcFromString)
})

const Open = Schema.Struct({
  ...Row.fields,
  state: Schema.Literal("open"),
  key_id: ApiKeyId,
  wallet: Address,
  recipient: Address,
  currency: LedgerCurrency
})
type Open = typeof Open.Type

const ChargeText = JsonText(Charge)
/** With the rent that was really paid, where the chain told. */
const SettledCharge = JsonText(
  Schema.Struct({ ...Charge.fields, rentPaid: Schema.optionalKey(Schema.BigIntFromString) })
)
const SettledRow = Schema.Struct({ charge: SettledCharge, gas_paid: UintText, captured: MicroUsdcFromString })

const decodeHolders = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ request_id: RequestId })))
const decodeAwaited = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ id: RequestId, terms: JsonText(TransferTerms) }))
)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const isOpen = Schema.is(Open)
const encodeCharge = Schema.encodeEffect(ChargeText)
const encodeSettled = Schema.encodeEffect(SettledCharge)
const encodeCurrency = Schema.encodeEffect(JsonText(LedgerCurrency))
const decodeCharges = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ charge: ChargeText })))
const decodeSettled = Schema.decodeUnknownEffect(Schema.Array(SettledRow))

/** An address that is paid again and again has requests without end: those in flight are among the newest. */
const AWAITED = 50

/** Takes back the transaction that it comes out of. */
class HoldRefused
  extends Data.TaggedError("HoldRefused")<{ readonly outcome: Exclude<HoldOutcome, "held" | "settled"> }>
{}

export const layer = Layer.effect(
  SponsorHolds,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ledger = yield* Ledger

    /** The row of a request, made if there is none, and locked until the end of the transaction. */
    const lock = Effect.fnUntraced(function*(request: RequestId) {
      const empty = { request_id: request, state: "none", round: 0, held: "0", held_at: 0 }
      const rows = yield* decodeRows(
        yield* sql`INSERT INTO sponsor_holds ${
          sql.insert(empty)
        } ON CONFLICT (request_id) DO UPDATE SET round = sponsor_holds.round
          RETURNING state, round, key_id, wallet, recipient, currency, held, held_at, address, later`
      )
      return rows[0] ?? (yield* Effect.die(new Error("a row that was written was not answered")))
    })

    /** What the domain made of what was checked here; anything else is a defect. */
    const post = (made: Result.Result<Transaction, LedgerRefused>, at: number) =>
      Effect.flatMap(Effect.orDie(Effect.fromResult(made)), (movement) => ledger.post(movement, at))

    const postKnown = (made: Result.Result<Transaction, LedgerRefused>, at: number) =>
      Effect.catchTag(post(made, at), "LedgerRefused", (refused) => Effect.die(refused))

    const claim = ({ claimant, request }: SponsorHold) =>
      sql`INSERT INTO sponsor_claims ${
        sql.insert({ request_id: request, claimant })
      } ON CONFLICT (request_id, claimant) DO NOTHING`

    /** A key that was revoked, or lost its wallet, since the quote spends nothing any more. */
    const checkLink = Effect.fnUntraced(function*({ key, wallet }: SponsorHold) {
      const linked = yield* sql`SELECT id FROM api_keys WHERE id = ${key} AND wallet = ${wallet} AND revoked_at IS NULL`
      if (linked.length === 0) return yield* new HoldRefused({ outcome: "not-linked" })
    })

    /** True when the request has the sponsorship of the address: it had it, or nobody did. */
    const takeSponsorship = Effect.fnUntraced(function*(address: Address, request: RequestId) {
      const [holder] = yield* decodeHolders(
        yield* sql`INSERT INTO address_sponsorships ${sql.insert({ address, request_id: request })}
          ON CONFLICT (address) DO UPDATE SET request_id = address_sponsorships.request_id RETURNING request_id`
      )
      return holder?.request_id === request
    })

    /** For who comes next. */
    const freeSponsorship = (request: RequestId, address: Address) =>
      sql`DELETE FROM address_sponsorships WHERE address = ${address} AND request_id = ${request}`

    /** What of a hold counts against the budget of later deposits; undefined of what does not. */
    const laterOf = Effect.fnUntraced(function*(request: RequestId, at: AtAddress | undefined) {
      if (at === undefined || (at.as === "quote" && (yield* takeSponsorship(at.address, request)))) return undefined
      return at
    })

    const place = Effect.fnUntraced(function*(asked: SponsorHold, round: number, at: number) {
      const { currency, key, recipient, request, units, wallet } = asked
      yield* checkLink(asked)
      const later = yield* laterOf(request, asked.at)
      const allowed = yield* spend(sql, { key, recipient, day: utcDay(at) }, units)
      const isWithin = allowed &&
        (later === undefined || (yield* spendLater(sql, { key, address: later.address, day: utcDay(at) }, later.worth)))
      if (!isWithin) return yield* new HoldRefused({ outcome: "budget-spent" })
      const movement = holdMovement({
        id: sponsorMovementId("hold", request, round),
        currency,
        wallet,
        request,
        held: units
      })
      yield* Effect.catchTag(
        post(movement, at),
        "LedgerRefused",
        (refused) =>
          refused.reason === "overdraft"
            ? Effect.fail(new HoldRefused({ outcome: "balance-too-low" }))
            : Effect.die(refused)
      )
      const row = {
        state: "open",
        round,
        key_id: key,
        wallet,
        recipient,
        currency: yield* encodeCurrency(currency),
        held: units.toString(),
        held_at: at,
        address: asked.at?.address ?? null,
        later: later?.worth.toString() ?? null
      }
      yield* sql`UPDATE sponsor_holds SET ${sql.update(row)} WHERE request_id = ${request}`
    })

    const hold: SponsorHolds["Service"]["hold"] = (asked, at) =>
      sql.withTransaction(Effect.gen(function*() {
        const { round, state } = yield* lock(asked.request)
        if (state === "settled") return "settled" as const
        if (state !== "open") yield* place(asked, round + 1, at)
        yield* claim(asked)
        return "held" as const
      })).pipe(
        // A refusal is an answer, not a failure of the store.
        Effect.catchTag("HoldRefused", ({ outcome }) => Effect.succeed(outcome)),
        storeCall("SponsorHolds.hold")
      )

    const giveUp = Effect.fnUntraced(function*(request: RequestId, open: Open, at: number) {
      const { address, currency, held, held_at, key_id: key, later, recipient, round, wallet } = open
      if (address !== null && later === null) yield* freeSponsorship(request, address)
      yield* giveBack(sql, { key, recipient, day: utcDay(held_at) }, held)
      if (address !== null && later !== null) yield* giveBackLater(sql, { key, address, day: utcDay(held_at) }, later)
      yield* postKnown(
        releaseMovement({ id: sponsorMovementId("release", request, round), currency, wallet, request, held }),
        at
      )
    })

    const release: SponsorHolds["Service"]["release"] = (request, claimant, at) =>
      sql.withTransaction(Effect.gen(function*() {
        const row = yield* lock(request)
        yield* sql`DELETE FROM sponsor_claims WHERE request_id = ${request} AND claimant = ${claimant}`
        const wanted = yield* sql`SELECT claimant FROM sponsor_claims WHERE request_id = ${request} LIMIT 1`
        if (!isOpen(row) || wanted.length > 0) return
        yield* giveUp(request, row, at)
        yield* sql`UPDATE sponsor_holds SET state = 'released' WHERE request_id = ${request}`
      })).pipe(storeCall("SponsorHolds.release"))

    const noteCharge: SponsorHolds["Service"]["noteCharge"] = (request, amountOut, charge) =>
      Effect.gen(function*() {
        const row = { request_id: request, amount_out: amountOut.toString(), charge: yield* encodeCharge(charge) }
        yield* sql`INSERT INTO sponsor_charges ${sql.insert(row)} ON CONFLICT (request_id, amount_out) DO NOTHING`
      }).pipe(storeCall("SponsorHolds.noteCharge"))

    const chargeOf: SponsorHolds["Service"]["chargeOf"] = (request, amountOut) =>
      sql`SELECT charge FROM sponsor_charges WHERE request_id = ${request} AND amount_out = ${amountOut.toString()}`
        .pipe(
          Effect.flatMap(decodeCharges),
          Effect.map(([row]) => row?.charge),
          storeCall("SponsorHolds.chargeOf")
        )

    /** Takes what is due of an open hold; what is left goes back. */
    const take = Effect.fnUntraced(
      function*(request: RequestId, open: Open, { captured: due, charge }: Settlement, at: number) {
        const { address, currency, held, held_at, key_id: key, later, recipient, round, wallet } = open
        const captured = MicroUsdc(minOf(held, due))
        // Who had it and did not need it: what was filled for it was the user's to pay.
        if (address !== null && later === null && charge.payer === "user") yield* freeSponsorship(request, address)
        yield* giveBack(sql, { key, recipient, day: utcDay(held_at) }, held - captured)
        if (address !== null && later !== null) {
          yield* giveBackLater(
            sql,
            { key, address, day: utcDay(held_at) },
            charge.payer === "user" ? later : held - captured
          )
        }
        yield* postKnown(
          capture({ id: sponsorMovementId("capture", request, round), currency, wallet, request, held, captured }),
          at
        )
        return captured
      }
    )

    const promiseOwed = Effect.fnUntraced(function*({ currency, owed, request, wallet }: Settlement, at: number) {
      if (owed.length > 0) {
        yield* postKnown(
          bookReceivable({ id: sponsorMovementId("receivable", request, 0), currency, wallet, shares: owed }),
          at
        )
      }
    })

    const settle: SponsorHolds["Service"]["settle"] = (settlement, at) =>
      sql.withTransaction(Effect.gen(function*() {
        const { charge, gasPaid, rentPaid, request } = settlement
        const row = yield* lock(request)
        if (row.state === "settled") {
          const [known] = yield* decodeSettled(
            yield* sql`SELECT charge, gas_paid, captured FROM sponsor_settlements WHERE request_id = ${request}`
          )
          return known?.captured ?? MicroUsdc(0n)
        }
        const captured = isOpen(row) ? yield* take(request, row, settlement, at) : MicroUsdc(0n)
        yield* promiseOwed(settlement, at)
        const kept = yield* encodeSettled(rentPaid === undefined ? charge : { ...charge, rentPaid })
        const settled = {
          request_id: request,
          charge: kept,
          gas_paid: gasPaid.toString(),
          captured: captured.toString(),
          settled_at: at
        }
        yield* sql`INSERT INTO sponsor_settlements ${sql.insert(settled)}`
        yield* sql`UPDATE sponsor_holds SET state = 'settled' WHERE request_id = ${request}`
        yield* sql`DELETE FROM sponsor_claims WHERE request_id = ${request}`
        return captured
      })).pipe(storeCall("SponsorHolds.settle"))

    const atAddress: SponsorHolds["Service"]["atAddress"] = (address) =>
      sql`SELECT request_id FROM address_sponsorships WHERE address = ${address}`.pipe(
        Effect.flatMap(decodeHolders),
        Effect.map(([holder]) => holder?.request_id),
        storeCall("SponsorHolds.atAddress")
      )

    const awaited: SponsorHolds["Service"]["awaited"] = (address, since) =>
      sql`SELECT t.id, t.terms FROM (SELECT request_id FROM deposit_address_requests WHERE address = ${address} ORDER BY request_id DESC LIMIT ${AWAITED}) r
            JOIN transfers t ON t.id = r.request_id
            LEFT JOIN sponsor_holds h ON h.request_id = t.id
          WHERE ${
        sql.in("t.status", ["waiting", ...unendedStatuses])
      } AND t.quoted_at >= ${since} AND (h.state IS NULL OR h.state IN ('none', 'released'))`.pipe(
        Effect.flatMap(decodeAwaited),
        Effect.map((rows) =>
          rows.flatMap(({ id, terms: { sponsorship } }) =>
            sponsorship === undefined ? [] : [{ request: id, sponsorship }]
          )
        ),
        storeCall("SponsorHolds.awaited")
      )

    const settled: SponsorHolds["Service"]["settled"] = (request) =>
      sql`SELECT charge, gas_paid, captured FROM sponsor_settlements WHERE request_id = ${request}`.pipe(
        Effect.flatMap(decodeSettled),
        Effect.map(([row]) => {
          if (row === undefined) return undefined
          const { captured, charge: { rentPaid, ...charge }, gas_paid: gasPaid } = row
          return { charge, gasPaid, rentPaid, captured }
        }),
        storeCall("SponsorHolds.settled")
      )

    return SponsorHolds.of({ hold, release, noteCharge, chargeOf, settle, atAddress, awaited, settled })
  })
)
