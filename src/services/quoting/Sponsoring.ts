/**
 * Who pays the fees of a request that asks for a sponsor (SPONSOR-2): the key's wallet, its balance, its budget. Only
 * reads; the money is reserved when the deposit is seen (`filling/HoldSponsor`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { MicroUsdc, zeroMicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import type { LedgerCurrency } from "../../domain/ledger/Transaction.ts"
import type { PricedCurrency } from "../../domain/money/Currency.ts"
import type { SponsorshipTerms } from "../../domain/quote/pricing/Fees.ts"
import type { Priced } from "../../domain/quote/pricing/Pricing.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { admitSponsor } from "../../domain/sponsorship/AdmitSponsor.ts"
import type { SponsorFacts } from "../../domain/sponsorship/AdmitSponsor.ts"
import { type Agreement, costsOf } from "../../domain/sponsorship/Agreement.ts"
import { effectiveCap } from "../../domain/sponsorship/Cap.ts"

/** The sponsor's currency: the token of the settlement chain, counted in millionths. */
export const sponsorCurrency = ({ chain, token }: SettlementChain["Service"]): LedgerCurrency => ({
  chainId: chain.id,
  address: token
})

const NO_KEY: SponsorFacts = { _tag: "NoKey" }

const factsOf = Effect.fnUntraced(function*({ recipient }: ResolvedRequest, key: ApiKey | undefined) {
  if (key === undefined) return NO_KEY
  const { wallet } = key
  const ledger = yield* Ledger
  const budgets = yield* Budgets
  const settlement = yield* SettlementChain
  const facts: SponsorFacts = {
    _tag: "Key",
    wallet,
    available: wallet === undefined
      ? zeroMicroUsdc
      : MicroUsdc(yield* ledger.balanceOf({ _tag: "Wallet", wallet }, sponsorCurrency(settlement))),
    budgetLeft: yield* budgets.left(key.id, recipient, yield* Clock.currentTimeMillis)
  }
  return facts
})

/** At a deposit address all fees are sponsored or none (SPONSOR-7). */
const kindOf = ({ depositAddress }: ResolvedRequest) =>
  depositAddress === undefined ? "direct" as const : "deposit-address" as const

/**
 * Who may pay which fees of a request. Undefined when it asks for no sponsor. UNAUTHORIZED and
 * SPONSOR_WALLET_NOT_LINKED come before anything is priced.
 */
export const sponsorshipTerms = Effect.fnUntracedEager(function*(request: ResolvedRequest, key: ApiKey | undefined) {
  const { sponsorship } = request
  if (sponsorship === undefined) return undefined
  const facts: SponsorFacts = key === undefined
    ? NO_KEY
    : { _tag: "Key", wallet: key.wallet, available: zeroMicroUsdc, budgetLeft: undefined }
  yield* Effect.fromResult(admitSponsor(facts, zeroMicroUsdc))
  const terms: SponsorshipTerms = {
    selection: sponsorship.selection,
    sponsor: { _tag: "Key", cap: effectiveCap(sponsorship.cap, key?.defaultCap) },
    kind: kindOf(request)
  }
  return terms
})

/** The currencies of the fees and of the fill's gas. */
export interface SponsoredMarket {
  readonly origin: PricedCurrency
  readonly destinationNative: PricedCurrency
}

/**
 * How sponsor and user share the fees at this price. Undefined when no sponsor was asked for. INSUFFICIENT_APP_BALANCE,
 * SPONSOR_BUDGET_EXCEEDED: the sponsor must be able to pay its share now.
 */
export const agreeOnSponsor = Effect.fnUntracedEager(function*(
  request: ResolvedRequest,
  key: ApiKey | undefined,
  { fees, split }: Priced,
  { destinationNative, origin }: SponsoredMarket
) {
  const { sponsorship } = request
  if (sponsorship === undefined || split === undefined || sponsorship.selection._tag === "Off") return undefined
  const wallet = yield* Effect.fromResult(admitSponsor(yield* factsOf(request, key), split.draw))
  const cap = effectiveCap(sponsorship.cap, key?.defaultCap)
  return {
    wallet,
    selection: sponsorship.selection,
    ...(cap === undefined ? {} : { cap }),
    kind: kindOf(request),
    feeCurrency: origin,
    fillNative: destinationNative,
    costs: costsOf(fees)
  } satisfies Agreement
})
