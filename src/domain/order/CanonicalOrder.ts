/**
 * An order with every address and currency in canonical spelling (PROTO-2).
 *
 * Orders arrive in any accepted spelling. Rules that compare a recipient or currency with what a chain shows need the
 * canonical one. An order's id is the same before and after.
 */
import { protocolAccounts } from "../chain/ProtocolAccounts.ts"
import * as Result from "effect/Result"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { AddressCodec, InvalidAddress } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { Order, OrderFee, OrderInput, OrderOutput, OrderRefund } from "./Order.ts"
import { type FamilyOf, InvalidOrder } from "./OrderEncoder.ts"

type Failure = InvalidOrder | InvalidAddress

type CodecOf = (chain: ChainSlug) => Result.Result<AddressCodec, InvalidOrder>

const codecsBy = (familyOf: FamilyOf, network: ChainNetwork): CodecOf => (chain) => {
  const family = familyOf(chain)
  return family === undefined
    ? Result.fail(new InvalidOrder({ reason: `unknown chain ${chain.slice(0, 64)}` }))
    : Result.succeed(family.addresses(network))
}

const refund = (codecOf: CodecOf, value: OrderRefund): Result.Result<OrderRefund, Failure> =>
  Result.gen(function*() {
    const codec = yield* codecOf(value.chainId)
    const recipient = value.recipient === codec.nativeCurrency ? value.recipient : yield* codec.parse(value.recipient)
    return { ...value, recipient, currency: yield* codec.parseCurrency(value.currency) }
  })

const input = (codecOf: CodecOf, value: OrderInput): Result.Result<OrderInput, Failure> =>
  Result.gen(function*() {
    const codec = yield* codecOf(value.payment.chainId)
    const currency = yield* codec.parseCurrency(value.payment.currency)
    const refunds = yield* Result.all(value.refunds.map((each) => refund(codecOf, each)))
    return { payment: { ...value.payment, currency }, refunds }
  })

const output = (codecOf: CodecOf, value: OrderOutput): Result.Result<OrderOutput, Failure> =>
  Result.gen(function*() {
    const codec = yield* codecOf(value.chainId)
    const payments = yield* Result.all(value.payments.map((payment) =>
      Result.gen(function*() {
        const recipient = yield* codec.parse(payment.recipient)
        return { ...payment, recipient, currency: yield* codec.parseCurrency(payment.currency) }
      })
    ))
    return { ...value, payments }
  })

const fee = (codecOf: CodecOf, value: OrderFee): Result.Result<OrderFee, Failure> =>
  Result.gen(function*() {
    const recipient = yield* (yield* codecOf(value.recipientChainId)).parse(value.recipient)
    const currency = yield* (yield* codecOf(value.currencyChainId)).parseCurrency(value.currency)
    return { ...value, recipient, currency }
  })

/**
 * The same order in canonical spelling. Fails with `InvalidOrder` for an unknown chain, and with `InvalidAddress` for
 * an address or currency that is not of its chain's family.
 */
export const canonicalOrder = (
  order: Order,
  familyOf: FamilyOf,
  network: ChainNetwork = "mainnet"
): Result.Result<Order, Failure> =>
  Result.gen(function*() {
    const codecOf = codecsBy(familyOf, network)
    const solver = yield* protocolAccounts.parse(order.solver)
    const inputs = yield* Result.all(order.inputs.map((each) => input(codecOf, each)))
    const paid = yield* output(codecOf, order.output)
    const fees = yield* Result.all(order.fees.map((each) => fee(codecOf, each)))
    return { ...order, solver, inputs, output: paid, fees }
  })
