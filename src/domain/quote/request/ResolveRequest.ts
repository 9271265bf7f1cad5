/**
 * Resolves a decoded request on the configured chains: finds currencies, parses addresses in their own family's
 * spelling, applies defaults (REQUEST-3, REFUND-1).
 *
 * Total and pure: the refusal names every field at fault (ERROR-1). Not for prices or money.
 */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { findAnyCurrency, keepsNoPayment } from "../../chain/Chain.ts"
import type { Chain } from "../../chain/Chain.ts"
import type { ChainId } from "../../chain/ChainId.ts"
import { servedChain } from "../../chain/ChainNotServed.ts"
import { Bps } from "../../money/Bps.ts"
import { payableFloor } from "../../money/Currency.ts"
import type { QuoteRefused } from "../QuoteError.ts"
import { checked, gatherFaults, refuseAll } from "./GatherFaults.ts"
import type { Checked, Faults } from "./GatherFaults.ts"
import type { QuoteRequest } from "./QuoteRequest.ts"
import { defaultLimits } from "./RequestLimits.ts"
import type { RequestLimits } from "./RequestLimits.ts"
import { checkRequest, refuseField as refuse } from "./RequestRules.ts"
import { resolveAppFees, resolveFeePayer, resolveOptions, resolveRecovery } from "./ResolveOptions.ts"
import type { ResolvedRequestOn } from "./ResolvedRequest.ts"

/** A request on the configured chains. */
export type ResolvedRequest = ResolvedRequestOn<Chain>

const resolveChain = (chains: ReadonlyArray<Chain>, id: ChainId, field: string) => {
  const chain = servedChain(chains, id)
  return Result.isFailure(chain)
    ? refuse("UNSUPPORTED_CHAIN", field, `${chain.failure.message}; GET /chains lists those that are`)
    : Result.succeed(chain.success)
}

const resolveCurrency = (
  chain: Chain,
  text: string,
  field: string,
  code: "INVALID_INPUT_CURRENCY" | "INVALID_OUTPUT_CURRENCY"
) => {
  const parsed = chain.family.addresses(chain.network).parseCurrency(text)
  if (Result.isFailure(parsed)) return refuse(code, field, `not a currency of ${chain.name}: ${parsed.failure.reason}`)
  const currency = findAnyCurrency(chain, parsed.success)
  return currency === undefined
    ? refuse(
      "UNSUPPORTED_CURRENCY",
      field,
      `this currency of ${chain.name} is not served; GET /chains lists those that are`
    )
    : Result.succeed(currency)
}

const resolveAddress = (chain: Chain, text: string, field: string, code: "INVALID_ADDRESS" | "INVALID_RECIPIENT") => {
  const parsed = chain.family.addresses(chain.network).parse(text)
  return Result.isFailure(parsed)
    ? refuse(code, field, `not an address of ${chain.name}: ${parsed.failure.reason}`)
    : Result.succeed(parsed.success)
}

/** A payment to a token or to one of our contracts would be lost or loop. */
const refuseContract = (chain: Chain, address: Address, field: "recipient" | "refundTo") =>
  keepsNoPayment(chain, address)
    ? refuse(
      field === "recipient" ? "INVALID_RECIPIENT" : "INVALID_ADDRESS",
      field,
      `this address of ${chain.name} is a contract that cannot keep a payment`
    )
    : Result.succeed(address)

/** refundTo, else the recipient, else the user: the first that is an address of the origin chain (REFUND-1). */
const resolveRefundTo = (
  origin: Chain,
  { recipient, refundTo }: AskedRequest,
  user: Checked<Address>
): Checked<Address> => {
  if (refundTo !== undefined) return checked(resolveAddress(origin, refundTo, "refundTo", "INVALID_ADDRESS"))
  const received = recipient === undefined ? undefined : origin.family.addresses(origin.network).parse(recipient)
  return received !== undefined && Result.isSuccess(received) ? Result.succeed(received.success) : user
}

/** The recipient, else the user. What is wrong with the user as such is not said again of the recipient. */
const resolveRecipient = (
  destination: Chain,
  { recipient, user: text }: AskedRequest,
  { origin, user }: { readonly origin: Checked<Chain>; readonly user: Checked<Address> }
): Checked<Address> => {
  const isUser = recipient === undefined
  if (isUser && Result.isFailure(user)) {
    const isElsewhere = Result.isSuccess(origin) && origin.success.family !== destination.family
    if (!isElsewhere) return user
  }
  const named = recipient ?? text
  return named === undefined ? unread : checked(resolveAddress(destination, named, "recipient", "INVALID_RECIPIENT"))
}

const bpsOf = (text: string | undefined): Bps | undefined => text === undefined ? undefined : Bps(BigInt(text))

/** The fields of a request that name chains, currencies and addresses, as far as they decode. */
export type AskedRequest = Partial<
  Pick<
    QuoteRequest,
    | "originChainId"
    | "destinationChainId"
    | "originCurrency"
    | "destinationCurrency"
    | "user"
    | "recipient"
    | "refundTo"
  >
>

/** Not there, or of the wrong type, which the decoding says. */
const unread: Result.Result<never, Faults> = Result.fail([])

/** Applies to a value that is there, and to what it depends on. */
const read = <Value, On, A>(
  value: Value | undefined,
  on: Checked<On>,
  find: (value: Value, on: On) => Result.Result<A, QuoteRefused>
): Checked<A> => value === undefined ? unread : Result.flatMap(on, (known) => checked(find(value, known)))

/** The ends of a request, each found or at fault by itself: all that is wrong is known at once. */
export const resolveEnds = (request: AskedRequest, chains: ReadonlyArray<Chain>) => {
  const chainOf = (field: "originChainId" | "destinationChainId") =>
    read(request[field], Result.succeed(chains), (id, all) => resolveChain(all, id, field))
  const origin = chainOf("originChainId")
  const destination = chainOf("destinationChainId")
  const user = read(request.user, origin, (text, chain) => resolveAddress(chain, text, "user", "INVALID_ADDRESS"))
  return {
    origin,
    destination,
    originCurrency: read(
      request.originCurrency,
      origin,
      (text, chain) => resolveCurrency(chain, text, "originCurrency", "INVALID_INPUT_CURRENCY")
    ),
    destinationCurrency: read(
      request.destinationCurrency,
      destination,
      (text, chain) => resolveCurrency(chain, text, "destinationCurrency", "INVALID_OUTPUT_CURRENCY")
    ),
    user,
    recipient: Result.flatMap(destination, (chain) =>
      Result.flatMap(
        resolveRecipient(chain, request, { origin, user }),
        (address) => checked(refuseContract(chain, address, "recipient"))
      )),
    refundTo: Result.flatMap(origin, (chain) =>
      Result.flatMap(
        resolveRefundTo(chain, request, user),
        (address) => checked(refuseContract(chain, address, "refundTo"))
      ))
  }
}

/** The faults of the fields that name chains, currencies and addresses, in a body of which other fields do not decode. */
export const checkEnds = (
  request: AskedRequest & Partial<Pick<QuoteRequest, "appFees" | "depositFeePayer" | "recoveryAddress">>,
  chains: ReadonlyArray<Chain>
): ReadonlyArray<Checked<unknown>> => {
  const found = resolveEnds(request, chains)
  const { origin, user } = found
  return [
    ...Object.values(found),
    Result.flatMap(origin, (chain) => checked(resolveRecovery(request, { origin: chain }))),
    Result.flatMap(Result.all({ origin, user }), (known) => checked(resolveFeePayer(request, known))),
    resolveAppFees(request)
  ]
}

/** The amount as the exchange of its currency can move it. */
const resolveAmount = (
  { amount, tradeType }: QuoteRequest,
  { destinationCurrency, originCurrency }: ReturnType<typeof resolveEnds>
): Checked<bigint> =>
  Result.flatMap(tradeType === "EXACT_INPUT" ? originCurrency : destinationCurrency, (currency) => {
    const payable = payableFloor(amount, currency)
    return payable > 0n ? Result.succeed(payable) : checked(
      refuse("AMOUNT_TOO_LOW", "amount", "less than the smallest amount that the exchange can move")
    )
  })

/**
 * The request with its chains, currencies and addresses resolved, or every fault in one refusal: those of `checkRequest`
 * and `resolveOptions`, UNSUPPORTED_CHAIN, INVALID_INPUT_CURRENCY, INVALID_OUTPUT_CURRENCY, UNSUPPORTED_CURRENCY,
 * INVALID_ADDRESS, INVALID_RECIPIENT.
 */
export const resolveRequest = (
  request: QuoteRequest,
  chains: ReadonlyArray<Chain>,
  limits: RequestLimits = defaultLimits
): Result.Result<ResolvedRequest, QuoteRefused> => {
  const ends = resolveEnds(request, chains)
  const { destination, destinationCurrency, origin, originCurrency, recipient, refundTo, user } = ends
  const options = resolveOptions(
    request,
    { origin, destination, originCurrency, destinationCurrency, user },
    limits
  )
  const amount = resolveAmount(request, ends)
  const rules = checkRequest(request, limits)
  if (
    Result.isFailure(rules) || Result.isFailure(origin) || Result.isFailure(destination) ||
    Result.isFailure(originCurrency) || Result.isFailure(destinationCurrency) || Result.isFailure(user) ||
    Result.isFailure(recipient) || Result.isFailure(refundTo) || Result.isFailure(options) || Result.isFailure(amount)
  ) return Result.fail(refuseAll(gatherFaults([rules, ...Object.values(ends), options, amount])))
  return Result.succeed({
    ...options.success,
    origin: origin.success,
    destination: destination.success,
    originCurrency: originCurrency.success,
    destinationCurrency: destinationCurrency.success,
    user: user.success,
    recipient: recipient.success,
    refundTo: refundTo.success,
    refundOnOrigin: request.refundOnOrigin ?? false,
    amount: amount.success,
    tradeType: request.tradeType,
    slippage: bpsOf(request.slippageTolerance),
    lateSlippage: bpsOf(request.latePaymentSlippageTolerance),
    ttlSeconds: request.ttl,
    includeProtocolData: request.includeProtocolData ?? false,
    referrer: request.referrer
  })
}
