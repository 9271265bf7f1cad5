/**
 * A request for a quote as clients send it: every parameter of REQUEST-1 to REQUEST-30, decoded once at the edge.
 *
 * Unknown fields are ignored; known ones of the wrong type or value are refused. `RequestRules` checks fields against
 * each other, `ResolveRequest` against a pair of chains. A host serves some of the optional parameters
 * (`quoteRequestOf`) and refuses the others by name (`findUnserved`): none is accepted and silently without effect.
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { ChainId } from "../../chain/ChainId.ts"
import { AppFeeParameter, Authorization, DestinationCall, SwapSources } from "./RequestLists.ts"
import { HexBytes, NumberLike, Percentage, PositiveNumber, Text, WireUint } from "./RequestValues.ts"
import { TradeType } from "./TradeType.ts"

const required = {
  user: Text.annotate({
    description: "address depositing funds on the origin chain and submitting transactions or signatures"
  }),
  originChainId: ChainId.annotate({ description: "chain of the deposit" }),
  destinationChainId: ChainId.annotate({ description: "chain of the delivery; may be the origin's" }),
  originCurrency: Text.annotate({ description: "currency address on the origin chain" }),
  destinationCurrency: Text.annotate({ description: "currency address on the destination chain" }),
  amount: WireUint.annotate({ description: "smallest unit of the currency; its meaning depends on tradeType" }),
  tradeType: TradeType.annotate({
    description:
      "what amount is: EXACT_INPUT what goes in, EXACT_OUTPUT and EXPECTED_OUTPUT what comes out, exactly or within the tolerance"
  })
}

const text = (description: string) => Schema.optionalKey(Text.annotate({ description }))
const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))
const uint = (description: string) => Schema.optionalKey(WireUint.annotate({ description }))
const number = (description: string) => Schema.optionalKey(PositiveNumber.annotate({ description }))
const numberLike = (description: string) => Schema.optionalKey(NumberLike.annotate({ description }))
const percentage = (description: string) => Schema.optionalKey(Percentage.annotate({ description }))

const optional = {
  recipient: text("receiver on the destination chain; defaults to user"),
  refundTo: text(
    "refund address on failure; when omitted the recipient, else the user, if it is an address of the origin chain"
  ),
  topupGas: flag(
    "adds a gas topup to the recipient in the destination fill; EVM only, when the requested currency is not the destination gas currency"
  ),
  topupGasAmount: uint("worth of the gas topup in USD with 6 decimals; needs topupGas; 2000000 when omitted"),
  usePermit: flag("deposit by a signed permit instead of a transaction, for currencies that support it"),
  permitExpiry: number("seconds for which a permit is valid; 600 when omitted"),
  useDepositAddress: flag("deposit by a plain transfer to an address of its own; EXACT_OUTPUT needs strict"),
  strict: flag("deposit address tied to one order; needs useDepositAddress and refundTo"),
  recoveryAddress: text(
    "origin address that owns funds at the deposit address that no order claims; needs useDepositAddress"
  ),
  subsidizeFees: flag("the sponsor behind the API key pays the destination's fees, gas topup included"),
  maxSubsidizationAmount: uint("the most that the sponsor pays, USDC with 6 decimals; needs subsidizeFees"),
  sponsoredFeeComponents: Schema.optionalKey(
    Schema.Array(Text).check(Schema.isMinLength(1), Schema.isMaxLength(32)).annotate({
      description:
        "execution, swap, the service's component, app, rent: at least one; needs subsidizeFees; not with useDepositAddress"
    })
  ),
  subsidizeRent: Schema.optionalKey(Schema.Boolean.annotate({
    description: "deprecated alias: adds rent to sponsoredFeeComponents; without subsidizeFees it sponsors nothing",
    deprecated: true
  })),
  depositFeePayer: text("Solana address that pays the deposit's fees and rent; Solana origins only, not the user"),
  appFees: Schema.optionalKey(
    Schema.Array(AppFeeParameter).check(Schema.isMaxLength(32)).annotate({
      description: "app fees charged on the request"
    })
  ),
  txs: Schema.optionalKey(
    Schema.Array(DestinationCall).check(Schema.isMaxLength(1_024)).annotate({
      description:
        "calls on the destination, in order, with EXACT_INPUT or EXACT_OUTPUT; data of at most 32,768 bytes a call and 65,536 in all"
    })
  ),
  txsGasLimit: numberLike("total gas limit for txs"),
  gasLimitForDepositSpecifiedTxs: numberLike(
    "total gas limit for txs where origin and destination are one chain; required then, and refused elsewhere"
  ),
  authorizationList: Schema.optionalKey(
    Schema.Array(Authorization).check(Schema.isMaxLength(1_024)).annotate({
      description: "EIP-7702 authorizations put on the fill transaction"
    })
  ),
  additionalData: Schema.optionalKey(
    Schema.Struct({ userPublicKey: Schema.optionalKey(HexBytes) }).annotate({
      description:
        "userPublicKey, in hex, is needed when a Bitcoin origin's user is a P2SH or P2TR address, whose key it must be"
    })
  ),
  referrer: text("recorded, returned in the history"),
  referrerAddress: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^0x[a-fA-F0-9]{40}$/u, { expected: "an address: 0x and 40 hex digits" }))
      .annotate({
        description: "an EVM address, recorded, returned in the history"
      })
  ),
  refundOnOrigin: flag("always refund on the origin chain"),
  enableTrueExactOutput: flag("surplus of an exact output goes to the solver, not to the recipient"),
  explicitDeposit: flag(
    "true, the default: deposit through the depository's function; false: a plain ERC-20 transfer with the order id appended"
  ),
  useExternalLiquidity: flag("allow an amount above the solver's free inventory; the fill waits for inventory"),
  useFallbacks: flag("when the destination swap fails, deliver the bridged currency instead of refunding"),
  includeProtocolData: flag("return protocol data for on-chain validation"),
  slippageTolerance: percentage("basis points, 0 to 10000; automatic when omitted"),
  latePaymentSlippageTolerance: percentage(
    "basis points for a deposit after the order's deadline; refunded when omitted"
  ),
  forceSolverExecution: flag(
    "a swap within one chain is carried out by the solver, after a deposit, instead of by the user; elsewhere it always is"
  ),
  includedSwapSources: SwapSources,
  excludedSwapSources: SwapSources,
  includedOriginSwapSources: SwapSources,
  includedDestinationSwapSources: SwapSources,
  originGasOverhead: numberLike("gas units added to a gasless origin's execution fee"),
  maxRouteLength: number("maximum hops in Solana swap routing"),
  useSharedAccounts: flag("Solana routing through shared accounts, which avoids some account creations"),
  includeComputeUnitLimit: flag("compute unit limit instruction for Solana origins"),
  overridePriceImpact: flag("quote in spite of SWAP_IMPACT_TOO_HIGH"),
  disableSwapProviderPreference: flag("disable the selection of preferred swap providers"),
  disableOriginSwaps: flag("no swaps on the origin chain"),
  fixedRate: text("\"a:b\", b whole units out for a whole units in; needs an API key and subsidizeFees"),
  ttl: number("quote time-to-live in seconds; unfilled after that is refunded")
}

/** An optional parameter of a request. */
export type RequestParameter = keyof typeof optional

/** The body of `POST /quote` as it is sent: amounts are decimal strings in smallest units. */
export const QuoteRequest = Schema.Struct({ ...required, ...optional })
export type QuoteRequest = typeof QuoteRequest.Type

const isParameter = (name: string): name is RequestParameter => name in optional

/** Every optional parameter, in the order of the schema. */
export const requestParameters: ReadonlyArray<RequestParameter> = Object.keys(optional).filter(isParameter)

/** The schema of a host that serves these parameters: for its payload and for its OpenAPI document. */
export const quoteRequestOf = <const Served extends ReadonlyArray<RequestParameter>>(served: Served) =>
  Schema.Struct({ ...required, ...Struct.pick(optional, served) })

/** True for values that ask for the default behaviour: omitting the parameter would change nothing. */
const asksForNothing = (name: RequestParameter, value: unknown): boolean =>
  value === undefined || value === false || (name === "explicitDeposit" && value === true) ||
  (Array.isArray(value) && value.length === 0 && name !== "sponsoredFeeComponents")

/** True when a decoded request asks for something by this parameter. */
export const isAsked = (request: QuoteRequest, name: RequestParameter): boolean => !asksForNothing(name, request[name])

/** The first known parameter of a raw body that is not served and would have an effect. */
export const findUnserved = (served: ReadonlyArray<RequestParameter>, body: unknown): RequestParameter | undefined => {
  if (typeof body !== "object" || body === null) return undefined
  const fields = new Map(Object.entries(body))
  return requestParameters.find((name) =>
    !served.includes(name) && fields.has(name) && !asksForNothing(name, fields.get(name))
  )
}
