/**
 * The sponsor's money during a deposit's handling (SPONSOR-12): held when the deposit is seen, captured once the fill
 * is final, released when there is none.
 *
 * The hold is the quoted amount, the most that can be drawn. Two deposits of one request share its hold, so that the
 * sponsor pays at most once. At an open deposit address, one deposit has the quoted sponsorship, and later ones have
 * what the key allows them (`AddressSponsorship`). SECURITY: dust holds nothing, and a deposit without a claim on the
 * money cannot release it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import type { AtAddress } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import { quotedWorth, sponsorshipOfArrival } from "../../domain/deposit-address/AddressSponsorship.ts"
import { shareUnits } from "../../domain/quote/pricing/AppFees.ts"
import type { AppFeeShare } from "../../domain/quote/pricing/AppFees.ts"
import { actualSplit, chargedSplit } from "../../domain/sponsorship/Charge.ts"
import type { Charge, FillSpent } from "../../domain/sponsorship/Charge.ts"
import { appFeesOf } from "../../domain/transfer/AppFeesOf.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { paymentToReserve } from "../../domain/transfer/payment/PaymentToReserve.ts"
import { leastDeposit } from "../../domain/transfer/Transfer.ts"
import type { RefundedTransfer } from "../../domain/transfer/refund/RefundedTransfer.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../operations/Meters.ts"
import { sponsorCurrency } from "../quoting/Sponsoring.ts"
import { findDelivery } from "./Delivery.ts"

/** One sighting of a deposit: it claims a hold, and releases it. */
export interface Claimant {
  readonly deposit: Deposit
  readonly sighting: number
}

const nameOf = ({ deposit: { onchainId }, sighting }: Claimant): string => `${onchainId}@${sighting}`

/** The transfer for which an open address was quoted: this one, or the first of the address. Undefined elsewhere. */
const firstOf = Effect.fnUntraced(function*(transfer: Transfer) {
  if (transfer.terms.depositAddress?.mode !== "open") return undefined
  const addresses = yield* DepositAddresses
  const transfers = yield* Transfers
  const kept = yield* addresses.findByRequest(transfer.id)
  return kept === undefined || kept.requestId === transfer.id ? transfer : yield* transfers.find(kept.requestId)
})

/** `elsewhere`: not at an open address, so that one deposit of the request is filled. */
const payerAt = Effect.fnUntraced(function*(transfer: Transfer, { amount, chainId, currency }: Deposit) {
  const first = yield* firstOf(transfer)
  if (first === undefined) return "elsewhere"
  const payer = sponsorshipOfArrival(first.terms, {
    chainId,
    currency,
    units: amount,
    least: leastDeposit(transfer.terms)
  })
  const { sponsorship } = first.terms
  if (payer !== "quote" || sponsorship === undefined || transfer.terms.sponsorship === undefined) return payer
  // A quote draws at most what it quoted, whichever deposit uses it.
  return quotedWorth(transfer.terms.sponsorship).draw <= quotedWorth(sponsorship).draw ? payer : "later"
})

/**
 * True for a deposit at an open address below the quoted amount: its user pays the fees, and the sponsorship waits for
 * a larger deposit.
 */
export const isUsersToPay = (transfer: Transfer, deposit: Deposit) =>
  Effect.map(payerAt(transfer, deposit), (payer) => payer === "user")

/** True when the sponsor's money is available for this deposit, or none is needed. Idempotent. */
export const holdSponsor = Effect.fnUntraced(function*(transfer: Transfer, claimant: Claimant) {
  const { apiKeyId, id, terms: { depositAddress, recipient, sponsorship } } = transfer
  if (sponsorship === undefined) return true
  const { draw, worth } = quotedWorth(sponsorship)
  if (draw === 0n) return true
  const payer = yield* payerAt(transfer, claimant.deposit)
  if (payer === "user") return false
  const at: AtAddress | undefined = payer === "elsewhere" || depositAddress === undefined
    ? undefined
    : { address: depositAddress.address, as: payer, worth }
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
    units: draw,
    at
  }, yield* Clock.currentTimeMillis)
  return outcome === "held" || outcome === "settled"
})

/**
 * Holds for a deposit of at least the quoted amount as soon as it is seen. If this fails now, the verdict tries again.
 */
export const holdOnSight = Effect.fnUntraced(function*(transfer: Transfer, claimant: Claimant) {
  if (paymentToReserve(transfer, claimant.deposit) !== undefined) yield* holdSponsor(transfer, claimant)
})

/** This sighting will not use the hold. */
export const releaseSponsor = Effect.fnUntraced(function*({ id, terms }: RefundedTransfer, claimant: Claimant) {
  if (terms.sponsorship === undefined) return
  const holds = yield* SponsorHolds
  yield* holds.release(id, nameOf(claimant), yield* Clock.currentTimeMillis)
})

/** Records who pays when `amountOut` is delivered. Before the payment, so that every payment has its charge. */
export const noteCharge = Effect.fnUntraced(function*({ id }: Transfer, amountOut: bigint, charge: Charge) {
  const holds = yield* SponsorHolds
  yield* holds.noteCharge(id, amountOut, charge)
})

/**
 * The charge of an order's payment. Every sponsored payment has one, unless a restored store has forgotten it. If it is
 * missing, the user paid, and an operator must look.
 */
const chargeOfFill = Effect.fnUntraced(function*({ id, orderId }: Transfer) {
  const holds = yield* SponsorHolds
  const paid = yield* findDelivery(orderId)
  const charge = paid === undefined ? undefined : yield* holds.chargeOf(id, paid.amount)
  if (charge !== undefined) return charge
  yield* countStuck("sponsored-without-charge")
  yield* Effect.logError(`a sponsored order was paid without a word on who pays its fees: ${orderId}`)
  return undefined
})

/** Shares of an amount in micro-USDC, without those that are zero. */
const owedShares = ({ terms }: Transfer, units: MicroUsdc) =>
  shareUnits(units, terms.appFees ?? []).filter((share) => share.units > 0n).map((share) => ({
    ...share,
    units: MicroUsdc(share.units)
  }))

/** Settles the sponsor's share of a final fill: the sponsor pays the real cost, up to the charge. Once per request. */
export const settleSponsor = Effect.fnUntraced(function*(transfer: Transfer, { gasPaid, rentPaid }: FillSpent) {
  const { sponsorship } = transfer.terms
  if (sponsorship === undefined) return
  // Without a charge the user paid. Settled all the same: otherwise nothing would ever release the hold.
  const charge = (yield* chargeOfFill(transfer)) ?? { payer: "user", costs: sponsorship.costs }
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

/**
 * The app fees that the user paid with the deposit, smallest units of its currency. Fees that a sponsor paid are not
 * included.
 */
export const userPaidAppFees = Effect.fnUntraced(function*(transfer: Transfer, deposit: Deposit) {
  const { appFees = [], sponsorship } = transfer.terms
  const all: ReadonlyArray<AppFeeShare> = appFeesOf(transfer, deposit.amount)
  if (sponsorship === undefined || appFees.length === 0) return all
  const charge = yield* chargeOfFill(transfer)
  if (charge === undefined) return []
  const { sponsored, userPays } = chargedSplit(sponsorship, charge).components.app
  return sponsored === 0n ? all : shareUnits(userPays, appFees)
})
