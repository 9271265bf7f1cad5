/** What a deposit comes to at today's price: when the quoted one no longer holds, or has no sponsor any more. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Bps } from "../../domain/money/Bps.ts"
import type { SponsorshipTerms } from "../../domain/quote/pricing/Fees.ts"
import { priceRequest } from "../../domain/quote/pricing/PriceRequest.ts"
import { type Agreement, type Costs, costsOf, quotedInput } from "../../domain/sponsorship/Agreement.ts"
import type { Charge } from "../../domain/sponsorship/Charge.ts"
import { bridgedAmount, countedGas } from "../../domain/swap/SwappedFill.ts"
import type { FinalVerdict } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import type { NewPrice } from "../../domain/transfer/deposit/Judgement.ts"
import { fallsBack, whyReverted } from "../../domain/transfer/Transfer.ts"
import type { Transfer, TransferTerms } from "../../domain/transfer/Transfer.ts"
import { gatherMarketFacts } from "../quoting/market/MarketFacts.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { unswapped } from "../payments/DeliveryPayment.ts"
import { Policy } from "../operations/Policy.ts"

export type Payer = Charge["payer"]

/** A verdict, and the fees that it leaves out of the delivery; none are known of a price that cannot be made. */
export interface PricedVerdict {
  readonly verdict: FinalVerdict
  readonly costs: Costs | undefined
}

/** Who has more than was quoted filled at an open address has all of it sponsored, or nothing (SPONSOR-7). */
export const isAllOrNothing = ({ amountIn, depositAddress }: TransferTerms, filled: bigint): boolean =>
  depositAddress?.mode === "open" && filled > amountIn

/** Under the conditions of the quote, which no new price may pass. */
const termsOf = (agreement: Agreement, allOrNothing: boolean): SponsorshipTerms => {
  const quoted = quotedInput(agreement)
  return {
    selection: quoted.selection,
    sponsor: quoted.sponsor,
    kind: quoted.kind,
    quoted,
    above: allOrNothing ? "user-pays-all" : "user-pays-rest"
  }
}

/** Never less than was quoted where the swap was not tried: it may yet be made. */
const gasOf = (fillGas: bigint, quoted: bigint | undefined, { calls }: Route): bigint => {
  if (quoted === undefined) return fillGas
  return calls.length === 0 && fillGas < quoted ? quoted : countedGas(fillGas, quoted)
}

/**
 * What today's price delivers for the deposited amount; nothing when it does not cover the fees. Refused: the chain
 * would not carry it out.
 */
const repricedOutput = Effect.fnUntraced(function*(route: Route, { terms }: Transfer, amountIn: bigint, payer: Payer) {
  const { destinationSwap: swap } = terms
  const wish = {
    amount: amountIn,
    tradeType: "EXACT_INPUT",
    slippage: undefined,
    ...(swap === undefined ? {} : { pays: terms.amountOut })
  } as const
  const gather = (tried: Route) =>
    Effect.map(
      gatherMarketFacts(tried, wish),
      (facts) => ({ ...facts, fillGas: gasOf(facts.fillGas, swap?.gas, tried) })
    )
  const market = yield* gather(route).pipe(
    // One that swaps can only be tried with what there is; one that waits for that is priced by the gas of a plain
    // payment, if that is more than was quoted.
    Effect.catchTag(
      "PaymentRefused",
      (refused) =>
        refused.reason === "insufficient-funds" && swap !== undefined && terms.waitSeconds !== undefined
          ? gather(unswapped(route))
          : Effect.fail(refused)
    )
  )
  const { spreadOf } = yield* Policy
  const spreadBps = spreadOf(route.originCurrency, route.destinationCurrency)
  const appBps = Bps((terms.appFees ?? []).reduce((sum, { bps }) => sum + bps, 0n))
  const sponsorship = payer === "sponsor" && terms.sponsorship !== undefined
    ? termsOf(terms.sponsorship, isAllOrNothing(terms, amountIn))
    : undefined
  // The impact was accepted with the quote; what counts now is the minimum that was promised.
  const cost = swap?.cost ?? 0n
  const source = swap === undefined ? undefined : { amountIn: 0n, amountOut: 0n, cost }
  const repriced = priceRequest(
    {
      ...market,
      source,
      appBps,
      spreadBps,
      sponsorship,
      fixedRate: terms.fixedRate,
      paid: route.paid,
      received: route.received
    },
    { ...wish, overridePriceImpact: true },
    "held"
  )
  if (Result.isFailure(repriced)) return undefined
  const { priced } = repriced.success
  // What is swapped is worth what the swap costs besides: it is paid for like every other fee, and goes to the source.
  return swap === undefined
    ? priced
    : { ...priced, amountOut: bridgedAmount(priced, cost, { origin: market.origin, bridged: market.destination }) }
  // Calls that send more than today's price delivers cannot be made.
}, Effect.catchTag("QuoteRefused", () => Effect.undefined))

/** Money that is missing now may be there when the payment is due: that is for the payment to find out. */
export const reprice = Effect.fnUntraced(
  function*(route: Route, transfer: Transfer, { amountIn, settle }: NewPrice, payer: Payer) {
    const priced = yield* repricedOutput(route, transfer, amountIn, payer).pipe(
      Effect.catchTag("PaymentRefused", (refused) =>
        // What is paid is the same, swapped or not: the fill finds out which.
        refused.reason === "reverts" && fallsBack(transfer.terms)
          ? repricedOutput(unswapped(route), transfer, amountIn, payer)
          : Effect.fail(refused))
    )
    const found: PricedVerdict = {
      verdict: settle(priced?.amountOut ?? 0n),
      costs: priced === undefined ? undefined : costsOf(priced.fees)
    }
    return found
  },
  (priced, _, { terms }) =>
    Effect.catchTag(priced, "PaymentRefused", ({ reason }) =>
      Effect.succeed<PricedVerdict>({
        verdict: { _tag: "Refund", reason: reason === "reverts" ? whyReverted(terms) : "SOLVER_CAPACITY_EXCEEDED" },
        costs: undefined
      }))
)
