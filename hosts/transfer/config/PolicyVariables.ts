/** The operator's policy for quotes and fills, as environment variables (REQUEST-29). */
import { Schema } from "effect"
import { Bps } from "../../../src/domain/money/Bps.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { defaultPolicy } from "../../../src/services/operations/Policy.ts"
import type { Policy } from "../../../src/services/operations/Policy.ts"
import type { Variable } from "../../configuration/Variables.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const wholeNumber = (maximum: number) =>
  Schema.NumberFromString.pipe(Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))))

const Dollars = wholeNumber(1_000_000_000)

/** A number for every pair, and exceptions for pairs of symbols: `8;ETH/USDC=12`. */
const Spreads = Schema.String.check(Schema.isPattern(/^\d{1,4}(;[A-Za-z0-9.]+\/[A-Za-z0-9.]+=\d{1,4})*$/))

export const policyVariables = {
  spreads: variable({
    name: "RISK_SPREAD_BPS",
    meaning:
      "basis points that unlike assets from inventory cost beyond the market; pairs of symbols may differ, in either direction: 8;ETH/USDC=12",
    schema: Spreads,
    fallback: "8"
  }),
  fixedRateMaxBps: variable({
    name: "FIXED_RATE_MAX_BPS",
    meaning: "how far a fixedRate may be from the market rate when it is quoted, basis points",
    schema: wholeNumber(10_000),
    fallback: "100"
  }),
  maxAppFeeBps: variable({
    name: "MAX_APP_FEE_BPS",
    meaning: "the most that all app fees of a request may add up to, basis points",
    schema: wholeNumber(9_999),
    fallback: "1000"
  }),
  maxTopupUsd: variable({
    name: "MAX_TOPUP_USD",
    meaning: "the most that a gas topup may be worth, whole US dollars",
    schema: Dollars,
    fallback: "10"
  }),
  maxCalls: variable({
    name: "MAX_CALLS",
    meaning: "the most calls that a request may have on the destination",
    schema: wholeNumber(256),
    fallback: "32"
  }),
  exposureUsd: variable({
    name: "UNFINAL_EXPOSURE_USD",
    meaning:
      "the most, in whole US dollars, that is paid out for deposits of one chain before they are final; above it fills wait for finality",
    schema: Dollars,
    fallback: "250000"
  }),
  exposureUserUsd: variable({
    name: "UNFINAL_EXPOSURE_USER_USD",
    meaning: "the same for the deposits of one sender, or at one deposit address",
    schema: Dollars,
    fallback: "50000"
  }),
  quorumFromUsd: variable({
    name: "QUORUM_FROM_USD",
    meaning:
      "deposits worth at least this, in whole US dollars, are filled only when a quorum of the chain's endpoints shows them; below it one endpoint is enough, within UNFINAL_EXPOSURE_USD; 0 asks the quorum for every deposit",
    schema: Dollars,
    fallback: "1000"
  }),
  endpointLeftOutMinutes: variable({
    name: "ENDPOINT_LEFT_OUT_MINUTES",
    meaning:
      "minutes for which an endpoint that contradicted its quorum is left out of single reads; it still votes in the quorum, and a restart forgets it",
    schema: wholeNumber(100_000).check(Schema.isGreaterThanOrEqualTo(1)),
    fallback: "60"
  }),
  unattestedRefundsUsd: variable({
    name: "UNATTESTED_REFUNDS_USD",
    meaning:
      "the most, in whole US dollars, that is refunded in any 24 hours for deposits that cannot settle on the hub (another currency or chain, too late, a mint that was made impossible); refunds beyond it wait for an operator; 0 refunds none of them",
    schema: Dollars,
    fallback: "1000"
  }),
  droppedAddressRefundsUsd: variable({
    name: "DROPPED_ADDRESS_REFUNDS_USD",
    meaning:
      "the part of UNATTESTED_REFUNDS_USD, in whole US dollars, for refunds of deposits to addresses whose quote was dropped, or whose later request a restored store has forgotten; the hub credits such a deposit to its depositor as well, who can take both, so above 0 strangers can gain as much a day",
    schema: Dollars,
    fallback: "0"
  }),
  revertedPermitsUsd: variable({
    name: "REVERTED_PERMITS_USD",
    meaning:
      "the most, in whole US dollars, that the gas of permits which revert on the chain may cost in any 24 hours, on each chain; new permits are refused while those in flight could exceed it; 0 accepts none",
    schema: Dollars,
    fallback: "100"
  }),
  revertedCallsUsd: variable({
    name: "REVERTED_CALLS_USD",
    meaning:
      "the most, in whole US dollars, that fills whose txs or recipient's code revert may cost in any 24 hours beyond what their deposits cover, a tenth of it for one sender, and an eighth of the most for swaps with useFallbacks; once it is spent, only those that their deposit does not cover are refused; 0 always refuses them",
    schema: Dollars,
    fallback: "100"
  }),
  calldataMib: variable({
    name: "CALLDATA_MIB",
    meaning:
      "the calldata of txs, in MiB, that is stored in a UTC day for all callers without an API key together; requests of at most 2,048 bytes are not counted; beyond it requests are refused until the next day; 0 refuses them all",
    schema: wholeNumber(1_000_000),
    fallback: "128"
  }),
  calldataKeyMib: variable({
    name: "CALLDATA_KEY_MIB",
    meaning: "the same for each API key",
    schema: wholeNumber(1_000_000),
    fallback: "512"
  }),
  externalLiquiditySeconds: variable({
    name: "EXTERNAL_LIQUIDITY_SECONDS",
    meaning:
      "how long the fill of a request with useExternalLiquidity waits for inventory, counted from its deposit, before the deposit is refunded; its timeEstimate says so",
    // Well below the six hours within which a delayed request must have ended.
    schema: wholeNumber(18_000),
    fallback: "3600"
  }),
  factsMaxAge: variable({
    name: "FACTS_MAX_AGE_MS",
    meaning:
      "milliseconds for which quotes may use the same prices, the same gas of a plain payment, what the solver holds and has reserved, and what a user's deposit of native currency costs; 0 asks each time",
    schema: wholeNumber(10_000),
    fallback: "1000"
  }),
  maxFeeFactor: variable({
    name: "MAX_FEE_FACTOR",
    meaning:
      "the highest fee per gas that a replacement of a stuck payment may offer, as a multiple of its first; 1 replaces nothing",
    schema: wholeNumber(1_000).check(Schema.isGreaterThanOrEqualTo(1)),
    fallback: "10"
  })
} as const

interface Decided {
  readonly environment: string
  readonly host: string
  readonly spreads: string
  readonly fixedRateMaxBps: number
  readonly maxAppFeeBps: number
  readonly maxTopupUsd: number
  readonly maxCalls: number
  readonly exposureUsd: number
  readonly exposureUserUsd: number
  readonly quorumFromUsd: number
  readonly unattestedRefundsUsd: number
  readonly droppedAddressRefundsUsd: number
  readonly revertedPermitsUsd: number
  readonly revertedCallsUsd: number
  readonly calldataMib: number
  readonly calldataKeyMib: number
  readonly externalLiquiditySeconds: number
  readonly maxFeeFactor: number
}

const micros = (dollars: number): bigint => BigInt(dollars) * 1_000_000n

const spreadsOf = (text: string): Policy["Service"]["spreadOf"] => {
  const [usual = "8", ...pairs] = text.split(";")
  const known = new Map(pairs.map((pair) => {
    const [symbols = "", bps = usual] = pair.split("=")
    return [symbols, Bps(BigInt(bps))] as const
  }))
  const between = (from: Currency, to: Currency) => known.get(`${from.symbol}/${to.symbol}`)
  return (from, to) => between(from, to) ?? between(to, from) ?? Bps(BigInt(usual))
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The policy of a host's environment. */
export const policyOf = (decided: Decided): Policy["Service"] => ({
  ...defaultPolicy,
  limits: {
    ...defaultPolicy.limits,
    maxAppFeeBps: Bps(BigInt(decided.maxAppFeeBps)),
    maxTopup: micros(decided.maxTopupUsd),
    maxCalls: decided.maxCalls
  },
  spreadOf: spreadsOf(decided.spreads),
  fixedRateMaxBps: Bps(BigInt(decided.fixedRateMaxBps)),
  exposure: { chain: micros(decided.exposureUsd), user: micros(decided.exposureUserUsd) },
  quorumFrom: micros(decided.quorumFromUsd),
  unattestedRefunds: micros(decided.unattestedRefundsUsd),
  droppedAddressRefunds: micros(decided.droppedAddressRefundsUsd),
  revertedPermits: micros(decided.revertedPermitsUsd),
  revertedCalls: micros(decided.revertedCallsUsd),
  calldata: { withoutKey: decided.calldataMib * 1024 * 1024, ofKey: decided.calldataKeyMib * 1024 * 1024 },
  externalLiquiditySeconds: decided.externalLiquiditySeconds,
  feeCeilingFactor: BigInt(decided.maxFeeFactor),
  forceRefund: decided.environment === "local" && isLoopback(decided.host)
})
