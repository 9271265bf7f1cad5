/**
 * The idempotency key of each endpoint's execution. The same facts always give the same key, so the hub executes them
 * once (EXEC-8).
 */
import type { Address } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { Hex32 } from "../encoding/Hex.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { OrderId } from "../order/Order.ts"
import { id } from "./ProtocolId.ts"

/** All deposits of one transaction. */
export const depositsKey = (chain: ChainSlug, transaction: TransactionId): Hex32 => id(chain, transaction)

/** A withdrawal that was executed. The executing transaction is never part of the key. */
export const executedWithdrawalKey = (withdrawalId: Hex32): Hex32 => id(withdrawalId, "")

/** A withdrawal that expired unused. */
export const expiredWithdrawalKey = (withdrawalId: Hex32): Hex32 => id(withdrawalId, "", "2")

/** Canonical 32-byte texts sort like the integers that they stand for. */
const ascending = (left: Hex32, right: Hex32): number => left < right ? -1 : left > right ? 1 : 0

/** A fill or a refund: the deposits of an order settle once, by one of the two. */
export const settlementKey = (onchainIds: ReadonlyArray<Hex32>, order: OrderId): Hex32 =>
  id(id(...onchainIds.toSorted(ascending)), order)

/** The start of a withdrawal from the hub. */
export const initiationKey = (settlementChain: string, hubTokenId: bigint, withdrawalAddress: Address): Hex32 =>
  id(settlementChain, hubTokenId.toString(), withdrawalAddress)
