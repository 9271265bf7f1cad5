/**
 * The order of a quote (ORDER-7, ORDER-8): one input of weight 1, its refund options, one payment, a
 * second one for a gas topup. With calls the first payment is the router's, which runs them and sends on what is left.
 */
import * as Result from "effect/Result"
import type { Address, CurrencyAddress, InvalidAddress } from "../../chain/Address.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import type { Hex32 } from "../../encoding/Hex.ts"
import type { Chain } from "../../chain/Chain.ts"
import type { InvalidAbi } from "../../encoding/Abi.ts"
import { asAddress } from "../../families/AddressCodec.ts"
import { maxOf } from "../../money/Rounding.ts"
import { encodeExtraData } from "../../order/ExtraData.ts"
import type { Order, OrderOutputPayment, OrderRefund } from "../../order/Order.ts"
import { encodeRouterCall } from "../../order/RouterCall.ts"
import { codecOf } from "../../hub/ChainRef.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import { leastOnDestination } from "./LeastOnDestination.ts"
import type { DestinationAmounts } from "./LeastOnDestination.ts"

const DAY_SECONDS = 86_400

/** How long after the quote the output may be delivered. */
export const OUTPUT_DEADLINE_SECONDS = 7 * DAY_SECONDS

/** How long after the quote a refund may be paid. */
export const REFUND_DEADLINE_SECONDS = 14 * DAY_SECONDS

/** The output of a fill's own swap, smallest units. */
interface Delivers {
  readonly currency: CurrencyAddress
  readonly amountOut: bigint
  readonly minimumOut: bigint
}

/** The facts of an order besides its request: amounts, salt, solver, time. */
export interface OrderFacts extends DestinationAmounts {
  readonly settlement: ChainSlug
  /** An EVM account. */
  readonly solver: Address
  /** 32 random bytes. */
  readonly salt: Hex32
  /** Seconds. */
  readonly now: number
  /** What the recipient gets where the fill's own transaction swaps. `amountOut` and `minimumOut` are then its input. */
  readonly delivers?: Delivers | undefined
  /** The gas topup, smallest units of the destination's native currency; zero or left out without one. */
  readonly topup?: bigint
  /** The bound for a refund's gas, smallest units of the origin currency. */
  readonly originRefundGas: bigint
}

const outputPayments = (
  { calls, destination, destinationCurrency, recipient }: ResolvedRequest,
  { delivers, topup = 0n, ...solver }: OrderFacts
): ReadonlyArray<OrderOutputPayment> => {
  const { amountOut, minimumOut } = delivers ?? solver
  const first: OrderOutputPayment = {
    recipient: calls.length === 0 ? recipient : destination.router ?? recipient,
    currency: delivers?.currency ?? destinationCurrency.address,
    minimumAmount: minimumOut,
    expectedAmount: amountOut
  }
  return topup === 0n
    ? [first]
    : [first, { recipient, currency: destination.native.address, minimumAmount: topup, expectedAmount: topup }]
}

/**
 * The recipient of a refund that goes to the depositor that its deposit names: the family's native sentinel (CLAIM-4).
 */
export const depositorsRefund = (chain: Chain): Address => asAddress(codecOf(chain).nativeCurrency)

const extraData = new WeakMap<Chain, ReturnType<typeof encodeExtraData>>()

/** Encoded once for each chain. */
const extraDataOf = (chain: Chain) => {
  const known = extraData.get(chain)
  if (known !== undefined) return known
  const made = encodeExtraData(chain.family, chain.router)
  extraData.set(chain, made)
  return made
}

/** The order of a priced request, unsigned. Fails for an address that its chain cannot encode. */
export const buildOrder = (
  request: ResolvedRequest,
  facts: OrderFacts
): Result.Result<Order, InvalidAbi | InvalidAddress> => {
  const { destination, destinationCurrency, origin, originCurrency } = request
  const originExtra = extraDataOf(origin)
  if (Result.isFailure(originExtra)) return Result.fail(originExtra.failure)
  const destinationExtra = extraDataOf(destination)
  if (Result.isFailure(destinationExtra)) return Result.fail(destinationExtra.failure)
  const calls = Result.all(request.calls.map(encodeRouterCall))
  if (Result.isFailure(calls)) return Result.fail(calls.failure)
  const deadline = facts.now + REFUND_DEADLINE_SECONDS
  const onOrigin: OrderRefund = {
    chainId: origin.slug,
    recipient: request.refundTo,
    currency: originCurrency.address,
    minimumAmount: maxOf(1n, facts.amountIn - facts.originRefundGas),
    deadline,
    extraData: originExtra.success
  }
  const onDestination: OrderRefund = {
    chainId: destination.slug,
    recipient: request.recipient,
    currency: destinationCurrency.address,
    minimumAmount: leastOnDestination(request, facts),
    deadline,
    extraData: destinationExtra.success
  }
  // A stranger's deposit is refunded to its depositor (REFUND-4), and oracles only attest a refund that an option
  // names.
  const toDepositor: OrderRefund = { ...onOrigin, recipient: depositorsRefund(origin) }
  return Result.succeed({
    version: "v1",
    solverChainId: facts.settlement,
    solver: facts.solver,
    salt: facts.salt,
    inputs: [{
      payment: { chainId: origin.slug, currency: originCurrency.address, amount: facts.amountIn, weight: 1n },
      // Same order of options as in all earlier versions, newest last: stored claims refer to options by index.
      refunds: [onOrigin, ...(request.refundOnOrigin ? [] : [onDestination]), toDepositor]
    }],
    output: {
      chainId: destination.slug,
      payments: outputPayments(request, facts),
      calls: calls.success,
      deadline: facts.now + OUTPUT_DEADLINE_SECONDS,
      extraData: destinationExtra.success
    },
    fees: []
  })
}
