/**
 * What a chain shows about one transaction, in words that all six families share (EVIDENCE-1).
 *
 * Evidence, not a verdict: a family's decoder writes it from raw answers, judges read it, and the
 * quorum compares it member by member. Addresses and currencies are canonical, amounts in smallest
 * units. Not for what a wallet or an indexer shows: nothing in here is a guess.
 */
import * as Schema from "effect/Schema"
import { Address, CurrencyAddress } from "../chain/Address.ts"
import { ChainSlug } from "../chain/ChainId.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { TransactionId } from "../chain/TransactionId.ts"
import { Uint256FromString } from "../order/Order.ts"
import { BlockRef } from "./BlockRef.ts"
import { FinalitySeen } from "./Finality.ts"

/** A deposit, in the order in which the transaction makes them. */
export const DepositEvidence = Schema.Struct({
  /** The contract, vault or account that received it: whoever emitted the event, not whom it names. */
  depository: Address,
  /** The place that the family counts by; with chain and transaction it makes the onchainId. */
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** The order's id; zero when the deposit names none. */
  depositId: Hex32,
  depositor: Address,
  currency: CurrencyAddress,
  /** What the depository received, not what was said. */
  amount: Uint256FromString
})
export type DepositEvidence = typeof DepositEvidence.Type

/** How a payment went: by the transaction itself, or by a router, which only counts for orders that name it. */
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

/** A call that a router made; `to` in EVM spelling on Tron too, as orders write it. */
export const RouterCallEvidence = Schema.Struct({
  router: Address,
  to: Address,
  data: Hex,
  value: Uint256FromString
})
export type RouterCallEvidence = typeof RouterCallEvidence.Type

export const TransactionEvidence = Schema.TaggedStruct("Transaction", {
  chain: ChainSlug,
  transactionId: TransactionId,
  outcome: Schema.Literals(["succeeded", "reverted"]),
  block: BlockRef,
  finality: FinalitySeen,
  deposits: Schema.Array(DepositEvidence),
  payments: Schema.Array(PaymentEvidence),
  /** Every order id that the transaction names, one entry a mention. */
  orderIds: Schema.Array(Hex32),
  /** In the order of their execution. */
  routerCalls: Schema.Array(RouterCallEvidence),
  /** Ids of the withdrawals that it executed, where a family's transactions tell. */
  withdrawals: Schema.optionalKey(Schema.Array(Hex32)),
  /**
   * Where a family's transfers name no order: by whose nonce it is looked up, and for how many seconds it may still
   * come.
   */
  mappedBy: Schema.optionalKey(Schema.Struct({ wallet: Address, nonce: Uint256FromString, graceLeft: Schema.Int })),
  /** Why it can never prove anything, though it stands: it says what the protocol has no words for. */
  unattestable: Schema.optionalKey(Schema.String)
})
export type TransactionEvidence = typeof TransactionEvidence.Type

/** The chain, read successfully, knows no such transaction. A read that failed is never this. */
export const AbsentTransaction = Schema.TaggedStruct("Absent", {
  chain: ChainSlug,
  transactionId: TransactionId
})
export type AbsentTransaction = typeof AbsentTransaction.Type

/** All that a reading of a transaction can tell. */
export const Observation = Schema.Union([TransactionEvidence, AbsentTransaction])
export type Observation = typeof Observation.Type
