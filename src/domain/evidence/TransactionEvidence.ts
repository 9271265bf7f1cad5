/**
 * What a chain shows about one transaction, in terms that all six families share (EVIDENCE-1).
 *
 * This is evidence, not a verdict: a family's decoder derives it from raw answers, judges read it, and the quorum
 * compares it member by member. Addresses and currencies are canonical, amounts in smallest units. Nothing in it is a
 * guess, unlike what wallets or indexers show.
 */
import * as Schema from "effect/Schema"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainSlug } from "../chain/ChainId.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { Uint256FromString } from "../order/Order.ts"
import { BlockRef } from "./BlockRef.ts"
import { FinalitySeen } from "./Finality.ts"

/** A deposit. Deposits are listed in the order in which the transaction makes them. */
export const DepositEvidence = Schema.Struct({
  /** The contract, vault or account that received it: the emitter of the event, not an address that the event names. */
  depository: Address,
  /** The deposit's position as the family counts it. With chain and transaction it forms the onchainId. */
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** The order's id. Zero when the deposit names no order. */
  depositId: Hex32,
  depositor: Address,
  currency: CurrencyAddress,
  /** The amount that the depository received, not the declared one. */
  amount: Uint256FromString
})
export type DepositEvidence = typeof DepositEvidence.Type

/**
 * The way of a payment: directly in the transaction, or through a router. The latter counts only for orders that name
 * the router.
 */
export const Through = Schema.Union([
  Schema.TaggedStruct("Direct", {}),
  Schema.TaggedStruct("Router", { router: Address })
])

/** A payment that a transaction shows, in smallest units of its currency. */
export const PaymentEvidence = Schema.Struct({
  recipient: Address,
  currency: CurrencyAddress,
  amount: Uint256FromString,
  through: Through
})
export type PaymentEvidence = typeof PaymentEvidence.Type

/** A call that a router made. `to` has EVM spelling on Tron too, as in orders. */
export const RouterCallEvidence = Schema.Struct({
  router: Address,
  to: Address,
  data: Hex,
  value: Uint256FromString
})
export type RouterCallEvidence = typeof RouterCallEvidence.Type

/**
 * What a transaction shows: deposits, payments, named orders, calls. Amounts are in smallest units, the time in
 * seconds.
 */
export const TransactionEvidence = Schema.TaggedStruct("Transaction", {
  chain: ChainSlug,
  transactionId: TransactionId,
  outcome: Schema.Literals(["succeeded", "reverted"]),
  block: BlockRef,
  finality: FinalitySeen,
  deposits: Schema.Array(DepositEvidence),
  payments: Schema.Array(PaymentEvidence),
  /** Every order id that the transaction names, one entry per mention. */
  orderIds: Schema.Array(Hex32),
  /** In the order of execution. */
  routerCalls: Schema.Array(RouterCallEvidence),
  /** Ids of the withdrawals that it executed, in families whose transactions show them. */
  withdrawals: Schema.optionalKey(Schema.Array(Hex32)),
  /**
   * For families whose transfers name no order: the wallet and nonce by which a nonce mapping is looked up, and the
   * seconds for which the mapping may still arrive.
   */
  mappedBy: Schema.optionalKey(Schema.Struct({ wallet: Address, nonce: Uint256FromString, graceLeft: Schema.Int })),
  /**
   * Why the transaction can never prove anything, although it is on the chain: it contains something that the protocol
   * cannot express.
   */
  unattestable: Schema.optionalKey(Schema.String)
})
export type TransactionEvidence = typeof TransactionEvidence.Type

/** The chain was read successfully and has no such transaction. Never the result of a failed read. */
export const AbsentTransaction = Schema.TaggedStruct("Absent", {
  chain: ChainSlug,
  transactionId: TransactionId
})
export type AbsentTransaction = typeof AbsentTransaction.Type

/** Every possible result of reading a transaction. */
export const Observation = Schema.Union([TransactionEvidence, AbsentTransaction])
export type Observation = typeof Observation.Type
