/**
 * The optional parts of a request on its pair of chains: sponsorship, topup, calls, recovery (REQUEST-4, SPONSOR-2).
 *
 * Total and pure. It is the second half of `ResolveRequest`, separate only because of length.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import { can } from "../../families/FamilyRules.ts"
import { protocolAccounts } from "../../chain/ProtocolAccounts.ts"
import * as Result from "effect/Result"
import { MicroUsdc } from "../../ledger/MicroUsdc.ts"
import type { Address } from "../../chain/Address.ts"
import { keepsNoPayment } from "../../chain/Chain.ts"
import type { Chain } from "../../chain/Chain.ts"
import { Bps } from "../../money/Bps.ts"
import type { Currency } from "../../money/Currency.ts"
import { resolveSwapWishes } from "../../swap/ResolveSwapWishes.ts"
import { usdFromMicros } from "../../money/Usd.ts"
import type { Usd } from "../../money/Usd.ts"
import { parseComponent } from "../../sponsorship/Component.ts"
import { selectComponents } from "../../sponsorship/Selection.ts"
import type { AppFee } from "../pricing/AppFees.ts"
import { resolveCalls } from "../DestinationCalls.ts"
import { parseFixedRate } from "../pricing/FixedRate.ts"
import type { QuoteRefused } from "../QuoteError.ts"
import { allOf, checked, gatherFaults, passAll } from "./GatherFaults.ts"
import type { Checked } from "./GatherFaults.ts"
import { isAsked } from "./QuoteRequest.ts"
import type { QuoteRequest, RequestParameter } from "./QuoteRequest.ts"
import type { RequestLimits } from "./RequestLimits.ts"
import type { Authorization } from "./RequestLists.ts"
import { DEFAULT_TOPUP, refuseField } from "./RequestRules.ts"
import type { AskedAddress, AskedPermit, RequestedSponsorship, ResolvedOptions } from "./ResolvedRequest.ts"

/** For how long a permit is valid when the request does not say (REQUEST-18). */
const DEFAULT_PERMIT_SECONDS = 600

/** A week, as long as an order can be filled. Nothing needs to be valid longer. */
const MOST_PERMIT_SECONDS = 604_800

/** The parts of a request's route that its options depend on. */
export interface OptionRoute {
  readonly origin: Chain
  readonly originCurrency: Currency
  readonly destination: Chain
  readonly destinationCurrency: Currency
  readonly user: Address
}

type From = Pick<OptionRoute, "origin">
type UserFrom = Pick<OptionRoute, "origin" | "user">
type To = Pick<OptionRoute, "destination" | "destinationCurrency">

/** The same before all of it is known: an option is checked when the parts that it depends on are. */
export type FoundRoute = { readonly [Part in keyof OptionRoute]: Checked<OptionRoute[Part]> }

const resolveSponsorship = (
  request: QuoteRequest,
  { serviceName }: RequestLimits
): Result.Result<RequestedSponsorship | undefined, QuoteRefused> => {
  const { maxSubsidizationAmount: cap, sponsoredFeeComponents: names } = request
  const listed = names === undefined
    ? undefined
    : Result.all(names.map((name) => parseComponent(name, serviceName)))
  if (listed !== undefined && Result.isFailure(listed)) return Result.fail(listed.failure)
  const selection = selectComponents({
    subsidizeFees: request.subsidizeFees ?? false,
    sponsoredFeeComponents: listed?.success,
    maxSubsidizationAmount: cap,
    subsidizeRent: request.subsidizeRent ?? false,
    useDepositAddress: request.useDepositAddress ?? false
  })
  if (Result.isFailure(selection)) return Result.fail(selection.failure)
  return Result.succeed(
    request.subsidizeFees === true
      ? { selection: selection.success, cap: cap === undefined ? undefined : MicroUsdc(cap) }
      : undefined
  )
}

const evm = protocolAccounts

export const resolveAppFees = ({ appFees = [] }: Pick<QuoteRequest, "appFees">): Checked<ReadonlyArray<AppFee>> =>
  allOf(appFees.map(({ fee, recipient }, index) => {
    const parsed = evm.parse(recipient)
    return Result.isSuccess(parsed)
      ? Result.succeed({ recipient: parsed.success, bps: Bps(BigInt(fee)) })
      : refuseField("INVALID_ADDRESS", `appFees.${index}.recipient`, `not an EVM address: ${parsed.failure.reason}`)
  }))

const resolveTopup = (
  { topupGas, topupGasAmount }: QuoteRequest,
  { destination, destinationCurrency }: To
): Result.Result<Usd | undefined, QuoteRefused> => {
  if (topupGas !== true) return Result.succeed(undefined)
  if (!can(destination.family, "gas-topups")) {
    return refuseField("INVALID_REQUEST", "topupGas", "destinationChainId must be an EVM chain")
  }
  if (destinationCurrency.isNative) {
    return refuseField("INVALID_REQUEST", "topupGas", "destinationCurrency is the gas currency already")
  }
  if (destination.router === undefined || destination.vault === undefined) {
    return refuseField(
      "UNSUPPORTED_ROUTE",
      "topupGas",
      `${destination.name}, the destinationChainId, has no gas topups`
    )
  }
  if (topupGasAmount === 0n) {
    return refuseField("INVALID_REQUEST", "topupGasAmount", "must be positive; leave topupGas out for no topup")
  }
  return Result.succeed(usdFromMicros(topupGasAmount ?? DEFAULT_TOPUP))
}

export const resolveFeePayer = (
  { depositFeePayer }: Pick<QuoteRequest, "depositFeePayer">,
  { origin, user }: UserFrom
): Result.Result<Address | undefined, QuoteRefused> => {
  if (depositFeePayer === undefined) return Result.succeed(undefined)
  if (!can(origin.family, "fee-payers")) {
    return refuseField("INVALID_REQUEST", "depositFeePayer", "originChainId must be Solana")
  }
  const parsed = origin.family.addresses(origin.network).parse(depositFeePayer)
  if (Result.isFailure(parsed)) return refuseField("INVALID_ADDRESS", "depositFeePayer", parsed.failure.reason)
  return parsed.success === user
    ? refuseField("INVALID_REQUEST", "depositFeePayer", "must differ from user")
    : Result.succeed(parsed.success)
}

const resolveComputeUnitLimit = (
  { includeComputeUnitLimit }: QuoteRequest,
  { origin }: From
): Result.Result<boolean, QuoteRefused> =>
  includeComputeUnitLimit === true && !can(origin.family, "compute-limits")
    ? refuseField("INVALID_REQUEST", "includeComputeUnitLimit", "originChainId must be Solana")
    : Result.succeed(includeComputeUnitLimit ?? false)

export const resolveRecovery = (
  { recoveryAddress }: Pick<QuoteRequest, "recoveryAddress">,
  { origin }: From
): Result.Result<Address | undefined, QuoteRefused> => {
  if (recoveryAddress === undefined) return Result.succeed(undefined)
  const parsed = origin.family.addresses(origin.network).parse(recoveryAddress)
  return Result.isSuccess(parsed)
    ? Result.succeed(parsed.success)
    : refuseField("INVALID_ADDRESS", "recoveryAddress", `not an address of ${origin.name}: ${parsed.failure.reason}`)
}

const resolveDepositAddress = (
  { strict, useDepositAddress }: QuoteRequest,
  { origin, recoveryAddress, user }: UserFrom & { readonly recoveryAddress: Address | undefined }
): Result.Result<AskedAddress | undefined, QuoteRefused> => {
  if (useDepositAddress !== true) return Result.succeed(undefined)
  if (origin.depositAddresses === undefined) {
    const { noDepositAddresses: why } = origin.family
    return refuseField(
      "UNSUPPORTED_ROUTE",
      "useDepositAddress",
      `${origin.name}, the originChainId, has no deposit addresses${why === undefined ? "" : `: ${why}`}`
    )
  }
  const depositor = recoveryAddress ?? user
  // The depositor receives money that has no other named recipient.
  if (keepsNoPayment(origin, depositor)) {
    return refuseField(
      "INVALID_ADDRESS",
      recoveryAddress === undefined ? "user" : "recoveryAddress",
      `this address of ${origin.name} cannot keep a payment`
    )
  }
  return Result.succeed({
    mode: strict === true ? "strict" : "open",
    factory: origin.depositAddresses.factory,
    depositor
  })
}

const resolvePermit = (
  { originGasOverhead = 0, permitExpiry = DEFAULT_PERMIT_SECONDS, usePermit }: QuoteRequest,
  { origin }: From,
  { maxOriginGasOverhead }: RequestLimits
): Result.Result<AskedPermit | undefined, QuoteRefused> => {
  if (usePermit !== true) return Result.succeed(undefined)
  if (origin.permits === undefined) {
    return refuseField("UNSUPPORTED_ROUTE", "usePermit", `${origin.name}, the originChainId, takes no permits`)
  }
  if (permitExpiry > MOST_PERMIT_SECONDS) {
    return refuseField("INVALID_REQUEST", "permitExpiry", `at most ${MOST_PERMIT_SECONDS} seconds`)
  }
  if (originGasOverhead > maxOriginGasOverhead) {
    return refuseField("INVALID_REQUEST", "originGasOverhead", `at most ${maxOriginGasOverhead}`)
  }
  const { forwarder, permit2 } = origin.permits
  return Result.succeed({ forwarder, permit2, expirySeconds: permitExpiry, gasOverhead: BigInt(originGasOverhead) })
}

/** Refuses an authorization for another chain, which would have no effect. */
const resolveAuthorizations = (
  { authorizationList = [] }: QuoteRequest,
  { destination }: Pick<OptionRoute, "destination">
): Result.Result<ReadonlyArray<Authorization>, QuoteRefused> => {
  if (authorizationList.length > 0 && destination.takesAuthorizations !== true) {
    return refuseField(
      "UNSUPPORTED_ROUTE",
      "authorizationList",
      `${destination.name}, the destinationChainId, takes no authorizations`
    )
  }
  const wrong = authorizationList.findIndex(({ chainId }) => chainId !== 0 && chainId !== destination.id)
  return wrong < 0
    ? Result.succeed(authorizationList)
    : refuseField("INVALID_REQUEST", `authorizationList.${wrong}.chainId`, "must be 0 or the destinationChainId")
}

/**
 * The user's public key, if it is given. Refuses a user whose wallet could not sign the deposit, unless anybody can make
 * it: at a deposit address.
 */
const resolveUserKey = (
  { additionalData, useDepositAddress }: QuoteRequest,
  { origin: { family, network }, user }: UserFrom
): Result.Result<Uint8Array | undefined, QuoteRefused> => {
  const key = additionalData?.userPublicKey
  if (key !== undefined && family.refuseDepositor === undefined) {
    return refuseField("INVALID_REQUEST", "additionalData.userPublicKey", "originChainId must be Bitcoin")
  }
  const publicKey = key === undefined ? undefined : hexToBytes(key.replace(/^0x/, ""))
  const refusal = family.refuseDepositor?.(user, publicKey, network)
  const isWrong = key !== undefined && refusal?.field !== "user"
  return refusal === undefined || (useDepositAddress === true && !isWrong)
    ? Result.succeed(publicKey)
    : refuseField("INVALID_REQUEST", refusal.field, refusal.why)
}

/**
 * Options for routes of a family's own aggregator. Elsewhere this service searches its own paths, so they have no
 * meaning.
 */
const routeOptions: ReadonlyArray<RequestParameter> = ["maxRouteLength", "useSharedAccounts"]

/** True where a route is asked for with this option: of the user, or for its length in a fill (SOLANA-21). */
const isRouted = (name: RequestParameter, { destination, origin }: OptionRoute): boolean =>
  can(origin.family, "route-options") || (name === "maxRouteLength" && can(destination.family, "route-options"))

const checkPermit = (
  { explicitDeposit, usePermit }: QuoteRequest,
  { origin, originCurrency }: OptionRoute
): Result.Result<void, QuoteRefused> => {
  if (usePermit !== true) return Result.void
  if (!can(origin.family, "permits")) {
    return refuseField("INVALID_REQUEST", "usePermit", "originChainId must be an EVM chain")
  }
  if (explicitDeposit === false) {
    return refuseField("INVALID_REQUEST", "usePermit", "cannot be combined with explicitDeposit false")
  }
  return originCurrency.isNative
    ? refuseField("INVALID_REQUEST", "usePermit", "originCurrency has no permits")
    : Result.void
}

/** Checks what the families of a request require or do not support. */
const checkFamilies = (request: QuoteRequest, route: OptionRoute): Checked<void> => {
  const { destination, origin, originCurrency } = route
  const { authorizationList = [], explicitDeposit } = request
  const unknown = routeOptions.filter((name) => isAsked(request, name) && !isRouted(name, route)).map((name) => {
    const chain = name === "maxRouteLength" ? "originChainId or destinationChainId" : "originChainId"
    return refuseField("INVALID_REQUEST", name, `${chain} must be Solana`)
  })
  return passAll([
    ...unknown,
    explicitDeposit === false && (!can(origin.family, "named-transfers") || originCurrency.isNative)
      ? refuseField(
        "INVALID_REQUEST",
        "explicitDeposit",
        "false needs an originCurrency that is a token of an EVM chain"
      )
      : Result.void,
    authorizationList.length > 0 && !can(destination.family, "authorizations")
      ? refuseField("INVALID_REQUEST", "authorizationList", "destinationChainId must be an EVM chain")
      : Result.void,
    checkPermit(request, route)
  ])
}

/** One of the two names, by whether the calls run where the deposit is made; `resolveCalls` refuses the wrong one. */
const gasOfCalls = ({ gasLimitForDepositSpecifiedTxs, txsGasLimit }: QuoteRequest): bigint | undefined => {
  const limit = gasLimitForDepositSpecifiedTxs ?? txsGasLimit
  return limit === undefined ? undefined : BigInt(limit)
}

/** The options of a request on its route, or the faults of all that cannot be had there, those of the route included. */
export const resolveOptions = (
  request: QuoteRequest,
  asked: FoundRoute,
  limits: RequestLimits
): Checked<ResolvedOptions> => {
  const { destination, destinationCurrency, origin, user } = asked
  const whole: Checked<OptionRoute> = Result.all(asked)
  // Where all of the route is known, so are its parts.
  const from: Checked<From> = Result.isSuccess(whole) ? whole : Result.all({ origin })
  const to: Checked<To> = Result.isSuccess(whole) ? whole : Result.all({ destination, destinationCurrency })
  const userFrom: Checked<UserFrom> = Result.isSuccess(whole) ? whole : Result.all({ origin, user })
  /** An option that depends on parts of the route. */
  const on = <Parts, A>(
    parts: Checked<Parts>,
    option: (parts: Parts) => Result.Result<A, QuoteRefused>
  ): Checked<A> => Result.isFailure(parts) ? Result.fail(parts.failure) : checked(option(parts.success))

  const families = Result.flatMap(whole, (known) => checkFamilies(request, known))
  const recoveryAddress = on(from, (known) => resolveRecovery(request, known))
  const sponsorship = checked(resolveSponsorship(request, limits))
  const appFees = resolveAppFees(request)
  const topup = on(to, (known) => resolveTopup(request, known))
  const calls = Result.flatMap(whole, (known) => resolveCalls(request, known, limits))
  const depositAddress = on(
    Result.flatMap(
      userFrom,
      ({ origin, user }) => Result.map(recoveryAddress, (recovery) => ({ origin, user, recoveryAddress: recovery }))
    ),
    (known) => resolveDepositAddress(request, known)
  )
  const depositFeePayer = on(userFrom, (known) => resolveFeePayer(request, known))
  const computeUnitLimit = on(from, (known) => resolveComputeUnitLimit(request, known))
  const userPublicKey = on(userFrom, (known) => resolveUserKey(request, known))
  const permit = on(from, (known) => resolvePermit(request, known, limits))
  const authorizations = Result.flatMap(
    destination,
    (chain) => checked(resolveAuthorizations(request, { destination: chain }))
  )
  const fixedRate = request.fixedRate === undefined
    ? Result.succeed(undefined)
    : checked(parseFixedRate(request.fixedRate))
  const swaps = resolveSwapWishes(request)
  if (
    Result.isFailure(whole) || Result.isFailure(families) || Result.isFailure(recoveryAddress) ||
    Result.isFailure(sponsorship) || Result.isFailure(appFees) || Result.isFailure(topup) ||
    Result.isFailure(calls) || Result.isFailure(depositAddress) || Result.isFailure(depositFeePayer) ||
    Result.isFailure(computeUnitLimit) || Result.isFailure(userPublicKey) || Result.isFailure(permit) ||
    Result.isFailure(authorizations) || Result.isFailure(fixedRate) || Result.isFailure(swaps)
  ) {
    // In the order in which they are named.
    return Result.fail(gatherFaults([
      whole,
      families,
      recoveryAddress,
      sponsorship,
      appFees,
      topup,
      calls,
      depositAddress,
      depositFeePayer,
      computeUnitLimit,
      userPublicKey,
      permit,
      authorizations,
      fixedRate,
      swaps
    ]))
  }
  return Result.succeed({
    sponsorship: sponsorship.success,
    appFees: appFees.success,
    topup: topup.success,
    calls: calls.success,
    depositAddress: depositAddress.success,
    depositFeePayer: depositFeePayer.success,
    computeUnitLimit: computeUnitLimit.success,
    userPublicKey: userPublicKey.success,
    permit: permit.success,
    authorizations: authorizations.success,
    fixedRate: fixedRate.success,
    swaps: swaps.success,
    recoveryAddress: recoveryAddress.success,
    callsGas: gasOfCalls(request),
    overridePriceImpact: request.overridePriceImpact ?? false,
    externalLiquidity: request.useExternalLiquidity ?? false,
    forceSolverExecution: request.forceSolverExecution ?? false,
    explicitDeposit: request.explicitDeposit ?? true
  })
}
