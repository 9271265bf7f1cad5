/** Prices a deposit at today's price, when the quoted price no longer holds or the sponsor cannot pay. */
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
import { marketNow } from "../quoting/market/Facts.ts"
import { codeUnitsAt, gatherMarketFacts } from "../quoting/market/MarketFacts.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { unswapped } from "../payments/DeliveryPayment.ts"
import { Policy } from "../operations/Policy.ts"

/** Who pays the fees of the deposit. */
export type Payer = Charge["payer"]

/** A verdict, with the fees that the delivery leaves out. Fees are unknown when the price cannot be made. */
export interface PricedVerdict {
  readonly verdict: FinalVerdict
  readonly costs: Costs | undefined
}

/** A deposit above the quoted amount at an open address is sponsored completely or not at all (SPONSOR-7). */
export const isAllOrNothing = ({ amountIn, depositAddress }: TransferTerms, filled: bigint): boolean =>
  depositAddress?.mode === "open" && filled > amountIn

/** The conditions of the quote, which no new price may exceed. */
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

/** At least the quoted gas when the swap was not tried: it may still be made. */
const gasOf = (fillGas: bigint, quoted: bigint | undefined, { calls, swap }: Route): bigint => {
  if (quoted === undefined) return fillGas
  return calls.length === 0 && swap === undefined && fillGas < quoted ? quoted : countedGas(fillGas, quoted)
}

/**
 * What today's price delivers for the deposit, zero when it does not cover the fees. Refused: the chain would not
 * execute it.
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
    // A fill that swaps can only be tried with available inventory, and a route. One that waits for either is priced by
    // the gas of a plain payment, or by the quoted gas if that is more.
    Effect.catchTag(
      "PaymentRefused",
      (refused) =>
        swap !== undefined && (refused.reason === "unroutable" ||
            (refused.reason === "insufficient-funds" && terms.waitSeconds !== undefined))
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
  // The impact was accepted with the quote. Now only the promised minimum counts.
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
  const { rent } = market
  const codeUnits = swap === undefined ? yield* codeUnitsAt(yield* marketNow, route, market, wish) : undefined
  // The swapped amount includes the cost of the swap: it is paid like every other fee, and goes to the source.
  return swap === undefined
    ? { ...priced, rent, codeUnits }
    : {
      ...priced,
      rent,
      codeUnits,
      amountOut: bridgedAmount(priced, cost, { origin: market.origin, bridged: market.destination })
    }
  // Calls that send more than today's price delivers cannot be made.
}, Effect.catchTag("QuoteRefused", () => Effect.undefined))

/** What the new price holds. */
const heldBy = (priced: Effect.Success<ReturnType<typeof repricedOutput>>) => ({
  ...(priced?.rent === undefined ? {} : { rent: priced.rent }),
  ...(priced?.codeUnits === undefined ? {} : { codeUnits: priced.codeUnits })
})

/** Inventory that is missing now may be available when the payment is due, so the payment checks it. */
export const reprice = Effect.fnUntraced(
  function*(route: Route, transfer: Transfer, { amountIn, settle }: NewPrice, payer: Payer) {
    const priced = yield* repricedOutput(route, transfer, amountIn, payer).pipe(
      Effect.catchTag("PaymentRefused", (refused) =>
        // The payment is the same with or without the swap: the fill finds out which one works.
        refused.reason === "reverts" && fallsBack(transfer.terms)
          ? repricedOutput(unswapped(route), transfer, amountIn, payer)
          : Effect.fail(refused))
    )
    const verdict = settle(priced?.amountOut ?? 0n)
    const found: PricedVerdict = {
      verdict: verdict._tag === "Fill" ? { ...verdict, ...heldBy(priced) } : verdict,
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
