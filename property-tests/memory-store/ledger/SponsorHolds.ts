/** The port `SponsorHolds` in memory: hold, budget and ledger move together. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import type {
  AtAddress,
  AwaitedHold,
  HoldOutcome,
  Settlement,
  SponsorHold
} from "../../../ports/store/ledger/SponsorHolds.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { sponsorMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import {
  bookReceivable,
  capture,
  hold as holdMovement,
  release as releaseMovement
} from "../../../src/domain/ledger/Movements.ts"
import { minOf } from "../../../src/domain/money/Rounding.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { isTerminal } from "../../../src/domain/transfer/Status.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { Held, HoldRow } from "../rows/LedgerRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { giveBack, giveBackLater, spend, spendLater } from "./BudgetSpent.ts"
import { postKnown, postMovement } from "./PostedMovements.ts"

/** An address that is paid again and again has requests without end: those in flight are among the newest. */
const AWAITED = 50

type Refusal = Exclude<HoldOutcome, "held" | "settled">

/** The row of a request, made if there is none. */
const holdOf = ({ holds }: Tables, request: RequestId): HoldRow => {
  const row = holds.get(request) ?? { state: "none", round: 0, held: undefined }
  holds.set(request, row)
  return row
}

/** What of a hold counts against the budget of later deposits; undefined of what does not. */
const laterOf = ({ sponsorships }: Tables, request: RequestId, at: AtAddress | undefined): AtAddress | undefined => {
  if (at?.as !== "quote") return at
  const holder = sponsorships.get(at.address) ?? request
  sponsorships.set(at.address, holder)
  return holder === request ? undefined : at
}

const freeSponsorship = ({ sponsorships }: Tables, request: RequestId, address: Address): void => {
  if (sponsorships.get(address) === request) sponsorships.remove(address)
}

const place = (tables: Tables, asked: SponsorHold, round: number, at: number): Result.Result<void, Refusal> => {
  const { currency, key, recipient, request, units, wallet } = asked
  const kept = tables.keys.get(key)
  // A key that was revoked, or lost its wallet, since the quote spends nothing any more.
  if (kept?.key.wallet !== wallet || kept.revokedAt !== undefined) return Result.fail("not-linked")
  const later = laterOf(tables, request, asked.at)
  const isWithin = spend(tables, { key, recipient, day: utcDay(at) }, units) &&
    (later === undefined || spendLater(tables, { key, address: later.address, day: utcDay(at) }, later.worth))
  if (!isWithin) return Result.fail("budget-spent")
  const movement = holdMovement({
    id: sponsorMovementId("hold", request, round),
    currency,
    wallet,
    request,
    held: units
  })
  const posted = Result.flatMap(movement, (made) => postMovement(tables, made, at))
  if (Result.isFailure(posted)) {
    if (posted.failure.reason !== "overdraft") throw posted.failure
    return Result.fail("balance-too-low")
  }
  const held: Held = {
    key,
    wallet,
    recipient,
    currency,
    units,
    at,
    address: asked.at === undefined ? undefined : { address: asked.at.address, later: later?.worth }
  }
  tables.holds.set(request, { state: "open", round, held })
  return Result.succeed(undefined)
}

const hold = (tables: Tables, asked: SponsorHold, at: number): Result.Result<HoldOutcome, Refusal> => {
  const { claimant, request } = asked
  const { round, state } = holdOf(tables, request)
  if (state === "settled") return Result.succeed("settled")
  const placed = state === "open" ? Result.succeed(undefined) : place(tables, asked, round + 1, at)
  return Result.map(placed, () => {
    tables.claims.set(request, new Set(tables.claims.get(request)).add(claimant))
    return "held"
  })
}

const release = (tables: Tables, request: RequestId, claimant: string, at: number): void => {
  const row = holdOf(tables, request)
  const others = new Set(tables.claims.get(request))
  others.delete(claimant)
  tables.claims.set(request, others)
  if (row.state !== "open" || row.held === undefined || others.size > 0) return
  const { address, at: heldAt, currency, key, recipient, units, wallet } = row.held
  const day = utcDay(heldAt)
  if (address !== undefined && address.later === undefined) freeSponsorship(tables, request, address.address)
  giveBack(tables, { key, recipient, day }, units)
  if (address?.later !== undefined) giveBackLater(tables, { key, address: address.address, day }, address.later)
  const id = sponsorMovementId("release", request, row.round)
  postKnown(tables, releaseMovement({ id, currency, wallet, request, held: units }), at)
  tables.holds.set(request, { ...row, state: "released" })
}

/** Takes what is due of an open hold; what is left goes back. */
const take = (
  tables: Tables,
  { captured: due, charge: { payer }, request }: Settlement,
  { at: heldAt, address, currency, key, recipient, units, wallet }: Held,
  round: number,
  at: number
): MicroUsdc => {
  const captured = MicroUsdc(minOf(units, due))
  const day = utcDay(heldAt)
  // Who had it and did not need it: what was filled for it was the user's to pay.
  if (address !== undefined && address.later === undefined && payer === "user") {
    freeSponsorship(tables, request, address.address)
  }
  giveBack(tables, { key, recipient, day }, units - captured)
  if (address?.later !== undefined) {
    const rest = payer === "user" ? address.later : units - captured
    giveBackLater(tables, { key, address: address.address, day }, rest)
  }
  const id = sponsorMovementId("capture", request, round)
  postKnown(tables, capture({ id, currency, wallet, request, held: units, captured }), at)
  return captured
}

const settle = (tables: Tables, settlement: Settlement, at: number): MicroUsdc => {
  const { charge, currency, gasPaid, owed, rentPaid, request, wallet } = settlement
  const row = holdOf(tables, request)
  if (row.state === "settled") return tables.settled.get(request)?.captured ?? MicroUsdc(0n)
  const captured = row.state === "open" && row.held !== undefined
    ? take(tables, settlement, row.held, row.round, at)
    : MicroUsdc(0n)
  if (owed.length > 0) {
    const id = sponsorMovementId("receivable", request, 0)
    postKnown(tables, bookReceivable({ id, currency, wallet, shares: owed }), at)
  }
  tables.settled.add(request, { charge, gasPaid, rentPaid, captured })
  tables.holds.set(request, { ...row, state: "settled" })
  tables.claims.remove(request)
  return captured
}

const awaited = (tables: Tables, address: Address, since: number): ReadonlyArray<AwaitedHold> =>
  tables.requestsOfAddress(address).map(({ requestId }) => requestId).toSorted().toReversed().slice(0, AWAITED).flatMap(
    (request) => {
      const transfer = tables.transfers.get(request)
      const sponsorship = transfer?.terms.sponsorship
      if (transfer === undefined || sponsorship === undefined) return []
      const { state } = tables.holds.get(request) ?? { state: "none" }
      const isWaiting = !isTerminal(transfer.status) && transfer.quotedAt >= since
      return isWaiting && (state === "none" || state === "released") ? [{ request, sponsorship }] : []
    }
  )

export const layer = Layer.effect(
  SponsorHolds,
  Effect.map(MemoryStore, ({ attempt, call }) =>
    SponsorHolds.of({
      // A refusal takes back what was written, and is an answer.
      hold: (asked, at) =>
        attempt("SponsorHolds.hold", (tables) => hold(tables, asked, at)).pipe(
          Effect.catch((refused) =>
            refused instanceof StoreUnavailable ? Effect.fail(refused) : Effect.succeed(refused)
          )
        ),
      release: (request, claimant, at) =>
        call("SponsorHolds.release", (tables) => release(tables, request, claimant, at)),
      noteCharge: (request, amountOut, charge) =>
        call("SponsorHolds.noteCharge", ({ charges }) => {
          const key = keyOf(request, amountOut)
          if (!charges.has(key)) charges.add(key, charge)
        }),
      chargeOf: (request, amountOut) =>
        call("SponsorHolds.chargeOf", ({ charges }) => charges.get(keyOf(request, amountOut))),
      settle: (settlement, at) => call("SponsorHolds.settle", (tables) => settle(tables, settlement, at)),
      atAddress: (address) => call("SponsorHolds.atAddress", ({ sponsorships }) => sponsorships.get(address)),
      awaited: (address, since) => call("SponsorHolds.awaited", (tables) => awaited(tables, address, since)),
      settled: (request) => call("SponsorHolds.settled", ({ settled }) => settled.get(request))
    }))
)
