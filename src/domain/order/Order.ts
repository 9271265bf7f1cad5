/**
 * The order: what a user pays, what the solver owes for it, and how it is refunded (ORDER-1).
 *
 * The schema is exactly the wire JSON: uint256 as decimal strings, deadlines as numbers, bytes as 0x hex. Addresses
 * keep their spelling, since only the chain's family can check them: `orderId` and `canonicalOrder` do, given the
 * families.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { ChainSlug } from "../chain/ChainId.ts"
import { EthereumAddress } from "../chain/Address.ts"
import { Hex32, Hex32FromString, HexFromString } from "../encoding/Hex.ts"

/** An unsigned 256-bit integer. On the wire a decimal string without leading zeros. */
export const Uint256FromString = Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,77})$/)).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 256n) - 1n })),
    SchemaTransformation.bigintFromString
  )
)

/** An unsigned 32-bit number: seconds since 1970 for deadlines, positions for indexes. */
export const Uint32 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff_ffff }))

/** An address as spelled on the wire. Its chain's family checks it elsewhere. */
const AddressText = Schema.NonEmptyString.check(Schema.isMaxLength(128))

/** The deposit on an origin chain, with its weight among the inputs. */
export const OrderInputPayment = Schema.Struct({
  chainId: ChainSlug,
  currency: AddressText,
  amount: Uint256FromString,
  weight: Uint256FromString
})
export type OrderInputPayment = typeof OrderInputPayment.Type

/** One way in which an input may be refunded. */
export const OrderRefund = Schema.Struct({
  chainId: ChainSlug,
  recipient: AddressText,
  currency: AddressText,
  minimumAmount: Uint256FromString,
  deadline: Uint32,
  extraData: HexFromString
})
export type OrderRefund = typeof OrderRefund.Type

/** A requested payment, and how it may be refunded. */
export const OrderInput = Schema.Struct({
  payment: OrderInputPayment,
  refunds: Schema.Array(OrderRefund)
})
export type OrderInput = typeof OrderInput.Type

/** One payment of the output: `minimumAmount` is the least, `expectedAmount` the quoted amount. */
export const OrderOutputPayment = Schema.Struct({
  recipient: AddressText,
  currency: AddressText,
  minimumAmount: Uint256FromString,
  expectedAmount: Uint256FromString
})
export type OrderOutputPayment = typeof OrderOutputPayment.Type

/** The delivery on the destination: payments, then calls, before a deadline. */
export const OrderOutput = Schema.Struct({
  chainId: ChainSlug,
  payments: Schema.Array(OrderOutputPayment),
  calls: Schema.Array(HexFromString),
  deadline: Uint32,
  extraData: HexFromString
})
export type OrderOutput = typeof OrderOutput.Type

/** A fee that an order pays out (ORDER-1). */
export const OrderFee = Schema.Struct({
  recipientChainId: ChainSlug,
  recipient: AddressText,
  currencyChainId: ChainSlug,
  currency: AddressText,
  amount: Uint256FromString
})
export type OrderFee = typeof OrderFee.Type

/** What the solver signs: inputs, output, fees, refunds and deadline. Its id is an EIP-712 struct hash (ORDER-1). */
export const Order = Schema.Struct({
  version: Schema.Literal("v1"),
  solverChainId: ChainSlug,
  solver: EthereumAddress,
  salt: Hex32FromString,
  inputs: Schema.Array(OrderInput),
  output: OrderOutput,
  fees: Schema.Array(OrderFee)
})
export type Order = typeof Order.Type

/** The order's id: the EIP-712 hash of its struct. */
export const OrderId = Hex32.pipe(Schema.brand("OrderId"))
export type OrderId = typeof OrderId.Type
