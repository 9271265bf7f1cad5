/**
 * The sponsor's money along the way of a deposit (spec/3 §5.8): held when the deposit is seen, captured once the fill is
 * final, given back when there is none.
 *
 * What is held is what was quoted, the most that can be drawn. Two deposits of one request share its hold, so that the
 * sponsor pays once or not at all. SECURITY: dust holds nothing; who has no claim on the money takes nothing away.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SettlementChain } from "../../../ports/SettlementChain.ts"
import { SponsorHolds } from "../../../ports/SponsorHolds.ts"
import { MicroUsdc } from "../../domain/app-balance/MicroUsdc.ts"
import { shareUnits } from "../../domain/quote/AppFees.ts"
import type { AppFeeShare } from "../../domain/quote/AppFees.ts"
import { quotedInput } from "../../domain/sponsorship/Agreement.ts"
import { actualSplit, chargedSplit } from "../../domain/sponsorship/Charge.ts"
import type { Charge, FillSpent } from "../../domain/sponsorship/Charge.ts"
import { splitSponsorship } from "../../domain/sponsorship/SplitSponsorship.ts"
import { appFeesOf } from "../../domain/transfer/AppFeesOf.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { promisedPayment } from "../../domain/transfer/PromisedPayment.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../Meters.ts"
import { sponsorCurrency } from "../Sponsoring.ts"
import { findDelivery } from "./Delivery.ts"

/** One sighting of a deposit: who claims a hold, and who gives it up. */
export interface Claimant {
  readonly deposit: Deposit
  readonly sighting: number
}

const nameOf = ({ deposit: { onchainId }, sighting }: Claimant): string => `${onchainId}@${sighting}`

/** True when the sponsor's money is there for this deposit, or none is needed; idempotent. */
export const holdSponsor = Effect.fnUntraced(function*({ apiKeyId, id, terms }: Transfer, claimant: Claimant) {
  const { recipient, sponsorship } = terms
  if (sponsorship === undefined) return true
  const { draw } = splitSponsorship(quotedInput(sponsorship))
  if (draw === 0n) return true
  // Every sponsored quote came with a key.
  if (apiKeyId === undefined) return false
  const holds = yield* SponsorHolds
  const outcome = yield* holds.hold({
    request: id,
    claimant: nameOf(claimant),
    key: apiKeyId,
    wallet: sponsorship.wallet,
    recipient,
    currency: sponsorCurrency(yield* SettlementChain),
    units: draw
  }, yield* Clock.currentTimeMillis)
  return outcome === "held" || outcome === "settled"
})

/** For a deposit that is as much as was quoted, as soon as it is seen; when it is refused now, the verdict asks again. */
export const holdOnSight = Effect.fnUntraced(function*(transfer: Transfer, claimant: Claimant) {
  if (promisedPayment(transfer, claimant.deposit) !== undefined) yield* holdSponsor(transfer, claimant)
})

/** This sighting will take nothing any more. */
export const releaseSponsor = Effect.fnUntraced(function*({ id, terms }: Transfer, claimant: Claimant) {
  if (terms.sponsorship === undefined) return
  const holds = yield* SponsorHolds
  yield* holds.release(id, nameOf(claimant), yield* Clock.currentTimeMillis)
})

/** Says who pays when `amountOut` is delivered: before it can be, so that whatever was paid has its charge. */
export const noteCharge = Effect.fnUntraced(function*({ id }: Transfer, amountOut: bigint, charge: Charge) {
  const holds = yield* SponsorHolds
  yield* holds.noteCharge(id, amountOut, charge)
})

/** The charge of what was paid for an order. Every sponsored payment has one: without it the user paid, and somebody must look. */
const chargeOfFill = Effect.fnUntraced(function*({ id, orderId }: Transfer) {
  const holds = yield* SponsorHolds
  const paid = yield* findDelivery(orderId)
  const charge = paid === undefined ? undefined : yield* holds.chargeOf(id, paid.amount)
  if (charge !== undefined) return charge
  yield* countStuck("sponsored-without-charge")
  yield* Effect.logError(`a sponsored order was paid without a word on who pays its fees: ${orderId}`)
  return undefined
})

/** Shares of a sum in micro-USDC; those of nothing are left out. */
const owedShares = ({ terms }: Transfer, units: MicroUsdc) =>
  shareUnits(units, terms.appFees ?? []).filter((share) => share.units > 0n).map((share) => ({ ...share, units: MicroUsdc(share.units) }))

/**
 * Settles a fill that is final: the sponsor pays what it really cost, at most what was charged. Happens once for a request.
 */
export const settleSponsor = Effect.fnUntraced(function*(transfer: Transfer, { gasPaid, rentPaid }: FillSpent) {
  const { sponsorship } = transfer.terms
  if (sponsorship === undefined) return
  const charge = yield* chargeOfFill(transfer)
  if (charge === undefined) return
  const holds = yield* SponsorHolds
  const { draw, receivable } = actualSplit(sponsorship, charge, { gasPaid, rentPaid })
  const captured = yield* holds.settle({
    request: transfer.id,
    currency: sponsorCurrency(yield* SettlementChain),
    wallet: sponsorship.wallet,
    charge,
    gasPaid,
    rentPaid,
    captured: draw,
    owed: owedShares(transfer, receivable)
  }, yield* Clock.currentTimeMillis)
  if (captured >= draw) return
  yield* countStuck("sponsor-hold-missing")
  yield* Effect.logError(`a sponsor paid ${captured} of ${draw} micro-USDC for ${transfer.orderId}: less was held`)
})

/** App fees that the user paid with the deposit, smallest units of its currency: those that a sponsor took over are not among them. */
export const userPaidAppFees = Effect.fnUntraced(function*(transfer: Transfer, deposit: Deposit) {
  const { appFees = [], sponsorship } = transfer.terms
  const all: ReadonlyArray<AppFeeShare> = appFeesOf(transfer, deposit.amount)
  if (sponsorship === undefined || appFees.length === 0) return all
  const charge = yield* chargeOfFill(transfer)
  if (charge === undefined) return []
  const { sponsored, userPays } = chargedSplit(sponsorship, charge).components.app
  return sponsored === 0n ? all : shareUnits(userPays, appFees)
})
