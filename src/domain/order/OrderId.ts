/**
 * The id of an order: its EIP-712 `hashStruct`, without a domain (ORDER-3).
 *
 * A direct encoder, checked against viem in a test. Addresses and currencies are hashed as the bytes of their chain's
 * family, so two spellings of one order have one id. SECURITY: every address is parsed by its family's codec. There is
 * no unchecked path.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { InvalidAddress } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import { hex32FromDigest } from "../encoding/Hex.ts"
import { hashWords } from "../encoding/StructHash.ts"
import type {
  Order,
  OrderFee,
  OrderId,
  OrderInput,
  OrderInputPayment,
  OrderOutput,
  OrderOutputPayment,
  OrderRefund
} from "./Order.ts"
import { type FamilyOf, type InvalidOrder, OrderEncoder } from "./OrderEncoder.ts"
import {
  feeTypeHash,
  inputTypeHash,
  orderTypeHash,
  outputPaymentTypeHash,
  outputTypeHash,
  paymentTypeHash,
  refundTypeHash
} from "./OrderType.ts"

export { type FamilyOf, InvalidOrder } from "./OrderEncoder.ts"

type Failure = InvalidOrder | InvalidAddress

const payment = (on: OrderEncoder, value: OrderInputPayment): Uint8Array =>
  hashWords([
    paymentTypeHash,
    on.chain(value.chainId),
    on.currency(value.chainId, value.currency),
    on.uint256(value.amount, "payment.amount"),
    on.uint256(value.weight, "payment.weight")
  ])

const refund = (on: OrderEncoder, value: OrderRefund): Uint8Array =>
  hashWords([
    refundTypeHash,
    on.chain(value.chainId),
    on.refundRecipient(value.chainId, value.recipient),
    on.currency(value.chainId, value.currency),
    on.uint256(value.minimumAmount, "refund.minimumAmount"),
    on.uint32(value.deadline, "refund.deadline"),
    on.bytes(value.extraData)
  ])

const input = (on: OrderEncoder, value: OrderInput): Uint8Array =>
  hashWords([
    inputTypeHash,
    payment(on, value.payment),
    hashWords(value.refunds.map((each) => refund(on, each)))
  ])

const outputPayment = (on: OrderEncoder, chainId: ChainSlug, value: OrderOutputPayment): Uint8Array =>
  hashWords([
    outputPaymentTypeHash,
    on.address(chainId, value.recipient),
    on.currency(chainId, value.currency),
    on.uint256(value.minimumAmount, "output.minimumAmount"),
    on.uint256(value.expectedAmount, "output.expectedAmount")
  ])

const output = (on: OrderEncoder, value: OrderOutput): Uint8Array =>
  hashWords([
    outputTypeHash,
    on.chain(value.chainId),
    hashWords(value.payments.map((each) => outputPayment(on, value.chainId, each))),
    on.uint32(value.deadline, "output.deadline"),
    hashWords(value.calls.map((each) => on.bytes(each))),
    on.bytes(value.extraData)
  ])

const fee = (on: OrderEncoder, value: OrderFee): Uint8Array =>
  hashWords([
    feeTypeHash,
    on.chain(value.recipientChainId),
    on.address(value.recipientChainId, value.recipient),
    on.chain(value.currencyChainId),
    on.currency(value.currencyChainId, value.currency),
    on.uint256(value.amount, "fee.amount")
  ])

const toOrderId = Brand.nominal<OrderId>()

/** The 32 raw bytes of `orderId`. */
export const orderHash = (
  order: Order,
  familyOf: FamilyOf,
  network: ChainNetwork = "mainnet"
): Result.Result<Uint8Array, Failure> => {
  const on = new OrderEncoder(familyOf, network)
  const hash = hashWords([
    orderTypeHash,
    on.text(order.version),
    on.text(order.solverChainId),
    on.account(order.solver),
    hexToBytes(order.salt.slice(2)),
    hashWords(order.inputs.map((each) => input(on, each))),
    output(on, order.output),
    hashWords(order.fees.map((each) => fee(on, each)))
  ])
  return on.failure === undefined ? Result.succeed(hash) : Result.fail(on.failure)
}

/**
 * The id of an order (ORDER-3). Fails with `InvalidOrder` for an unknown chain or a number out of range, and with
 * `InvalidAddress` for an address or currency that is not of its chain's family. The solver's chain may be unknown,
 * since its account is always an EVM account. `network` matters only for Bitcoin addresses.
 */
export const orderId = (
  order: Order,
  familyOf: FamilyOf,
  network: ChainNetwork = "mainnet"
): Result.Result<OrderId, Failure> =>
  Result.map(orderHash(order, familyOf, network), (hash) => toOrderId(hex32FromDigest(hash)))
