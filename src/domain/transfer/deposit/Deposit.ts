/** A deposit as it was sighted on a chain (WIRE-10): evidence for the filling, keyed by its place on the chain. */
import * as Schema from "effect/Schema"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { StoredBlockRef } from "./StoredBlockRef.ts"
import type { BlockRef } from "../../evidence/BlockRef.ts"
import { TransactionId } from "../../chain/TransactionId.ts"

/** One deposit on a chain: transaction, index, currency, amount in smallest units, and the order that it names. */
export const Deposit = Schema.Struct({
  /** id(chain, transaction, index) of PROTO-12. */
  onchainId: Hex32,
  chainId: ChainId,
  transactionId: TransactionId,
  index: Schema.Int,
  block: StoredBlockRef,
  /** The 32 bytes that name the order; zero when the deposit names none. */
  depositId: Hex32,
  /** Chosen by the caller: proves nothing about who paid (REFUND-4). */
  depositor: Address,
  /** Who sent the transaction. */
  sender: Address,
  /**
   * The account that the token came from, if it is not the sender. When it is the Forwarder of the quote, the depositor
   * has signed for this order.
   */
  forwarder: Schema.optionalKey(Address),
  currency: CurrencyAddress,
  amount: Schema.BigIntFromString
})
export type Deposit = typeof Deposit.Type

/** The fields of a deposit that decide whether it is filled; also used for a deposit that is not made yet. */
export type DepositFacts = Pick<Deposit, "chainId" | "currency" | "amount"> & { readonly block: Pick<BlockRef, "time"> }
