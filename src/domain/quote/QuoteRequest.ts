/**
 * A request for a quote as clients send it, decoded once at the edge (spec/1 §4.2, spec/3 §1).
 *
 * Unknown fields are ignored, known ones of the wrong type or value are refused. What a field means on a given pair of
 * chains is `ResolveRequest`'s business; `laterParameters` are known names that this version refuses instead of ignoring.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { ChainId } from "../chain/ChainId.ts"
import { TradeType } from "./TradeType.ts"

const MAX_UINT256 = 2n ** 256n - 1n

/** Digits only, at most 2^256 − 1: an amount in the smallest unit of its currency. */
export const WireUint = Schema.String.check(Schema.isPattern(/^[0-9]{1,78}$/)).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_UINT256 })),
    SchemaTransformation.bigintFromString
  )
)

const PositiveSeconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4_294_967_295 }))

const Text = Schema.String.check(Schema.isMaxLength(200))

export const QuoteRequest = Schema.Struct({
  user: Text.annotate({ description: "address depositing funds on the origin chain and submitting transactions" }),
  originChainId: ChainId,
  destinationChainId: ChainId,
  originCurrency: Text.annotate({ description: "currency address on the origin chain" }),
  destinationCurrency: Text.annotate({ description: "currency address on the destination chain" }),
  amount: WireUint.annotate({ description: "smallest unit of the currency; its meaning depends on tradeType" }),
  tradeType: TradeType,
  recipient: Schema.optionalKey(Text.annotate({ description: "receiver on the destination chain; defaults to user" })),
  refundTo: Schema.optionalKey(
    Text.annotate({ description: "refund address on failure; when omitted the recipient, else the user, if it is an address of the origin chain" })
  ),
  refundOnOrigin: Schema.optionalKey(Schema.Boolean.annotate({ description: "always refund on the origin chain" })),
  slippageTolerance: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^([0-9]{1,4}|10000)$/)).annotate({ description: "basis points, 0 to 10000; automatic when omitted" })
  ),
  ttl: Schema.optionalKey(PositiveSeconds.annotate({ description: "quote time-to-live in seconds; unfilled after that is refunded" })),
  includeProtocolData: Schema.optionalKey(Schema.Boolean.annotate({ description: "return protocol data for on-chain validation" })),
  referrer: Schema.optionalKey(Text.annotate({ description: "recorded, returned in the history" })),
  referrerAddress: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^0x[a-fA-F0-9]{40}$/)))
})
export type QuoteRequest = typeof QuoteRequest.Type

/** Parameters of spec/1 and spec/3 that this version knows by name and refuses: none is accepted and silently without effect. */
export const laterParameters = [
  "topupGas", "usePermit", "useDepositAddress", "strict", "subsidizeFees", "maxSubsidizationAmount",
  "sponsoredFeeComponents", "subsidizeRent", "depositFeePayer", "appFees", "txs", "txsGasLimit", "authorizationList",
  "additionalData", "recoveryAddress", "topupGasAmount", "enableTrueExactOutput", "explicitDeposit",
  "useExternalLiquidity", "useFallbacks", "permitExpiry", "latePaymentSlippageTolerance",
  "gasLimitForDepositSpecifiedTxs", "forceSolverExecution", "includedSwapSources", "excludedSwapSources",
  "includedOriginSwapSources", "includedDestinationSwapSources", "originGasOverhead", "maxRouteLength",
  "useSharedAccounts", "includeComputeUnitLimit", "overridePriceImpact", "disableSwapProviderPreference",
  "disableOriginSwaps", "fixedRate"
] as const

/** Values that ask for what happens anyway: leaving the parameter out would change nothing. */
const asksForNothing = (name: string, value: unknown): boolean =>
  value === undefined || value === false || (name === "explicitDeposit" && value === true) ||
  (Array.isArray(value) && value.length === 0 && name !== "sponsoredFeeComponents")

/** The first parameter of a raw body that this version does not act on, if there is one. */
export const findLaterParameter = (body: unknown): string | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const fields = new Map(Object.entries(body))
  return laterParameters.find((name) => fields.has(name) && !asksForNothing(name, fields.get(name)))
}
