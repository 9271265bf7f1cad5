/**
 * The part that a sponsor pays of a deposit with a new request: decided by `AddressSponsorship`, as known when it is
 * quoted. Only reads; the money is held when the deposit is seen (`filling/HoldSponsor`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import { laterRequest, unsponsored } from "../../domain/deposit-address/LaterRequest.ts"
import type { Arrived } from "../../domain/deposit-address/LaterRequest.ts"
import { sweepId } from "../../domain/deposit-address/SweepId.ts"
import {
  capWithin,
  leftBeside,
  quotedWorth,
  sponsorshipOfArrival
} from "../../domain/deposit-address/AddressSponsorship.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { effectiveCap } from "../../domain/sponsorship/Cap.ts"
import { isTerminal } from "../../domain/transfer/Status.ts"
import { leastDeposit } from "../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"

/** Milliseconds: how long budget stays reserved for a request whose deposit never came. */
const A_DAY = 24 * 3_600_000

/** A received amount, its sweep, and when it was seen. */
export type Swept = Arrived & Pick<Sweep, "number" | "queuedAt">

/** The order that the previous sweep of the same currency and chain names. */
const orderBefore = Effect.fnUntraced(function*({ address }: KeptAddress, { chainId, currency, number }: Swept) {
  const sweeps = yield* Sweeps
  return number === 0
    ? undefined
    : (yield* sweeps.find(sweepId({ chainId, address, currency, number: number - 1 })))?.depositId
})

/** True when another deposit has the address's quoted sponsorship, or has a claim on it and is not judged yet. */
const isTaken = Effect.fnUntraced(function*(kept: KeptAddress, first: Transfer, swept: Swept) {
  const holds = yield* SponsorHolds
  if ((yield* holds.atAddress(kept.address)) !== undefined) return true
  const history = yield* TransferHistory
  const transfers = yield* Transfers
  const before = yield* orderBefore(kept, swept)
  for (const order of new Set([kept.orderId, ...(before === undefined ? [] : [before])])) {
    const transfer = yield* transfers.findByOrder(order)
    const deposits = yield* history.deposits(order)
    if (transfer === undefined || isTerminal(transfer.status)) continue
    const least = leastDeposit(transfer.terms)
    if (
      deposits.some(({ deposit }) =>
        sponsorshipOfArrival(first.terms, { ...deposit, units: deposit.amount, least }) === "quote"
      )
    ) return true
  }
  return false
})

/**
 * The most that a sponsor may be charged for it, micro-USDC: the amount quoted for the address, or what the key now
 * allows for later deposits.
 */
const sponsoredUpTo = Effect.fnUntraced(function*(kept: KeptAddress, first: Transfer, key: ApiKey, swept: Swept) {
  const { sponsorship } = first.terms
  const payer = sponsorshipOfArrival(first.terms, { ...swept, least: swept.units })
  if (payer === "user" || sponsorship === undefined) return MicroUsdc(0n)
  if (payer === "quote" && !(yield* isTaken(kept, first, swept))) return quotedWorth(sponsorship).worth
  const [budgets, holds, now] = [yield* Budgets, yield* SponsorHolds, yield* Clock.currentTimeMillis]
  const left = yield* budgets.leftForLater(key.id, kept.address, now)
  if (left === 0n) return left
  // Otherwise two requests could be quoted with the same remaining budget, and the second would be refunded.
  const others = (yield* holds.awaited(kept.address, now - A_DAY)).filter(({ request }) => request !== kept.requestId)
  return leftBeside(left, others.map((other) => other.sponsorship))
})

/** The request for the received amount: with a sponsor, as far as one pays for it. */
export const sponsoredRequest = Effect.fnUntraced(
  function*(kept: KeptAddress, first: Transfer, request: QuoteRequest, key: ApiKey | undefined, swept: Swept) {
    const later = laterRequest(request, swept)
    if (request.subsidizeFees !== true) return later
    if (key === undefined) return unsponsored(later)
    const upTo = yield* sponsoredUpTo(kept, first, key, swept)
    if (upTo === 0n) return unsponsored(later)
    const own = request.maxSubsidizationAmount === undefined ? undefined : MicroUsdc(request.maxSubsidizationAmount)
    return { ...later, maxSubsidizationAmount: capWithin(effectiveCap(own, key.defaultCap), upTo) }
  }
)
