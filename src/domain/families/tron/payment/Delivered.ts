/**
 * Whether a call that succeeded has paid what it was made for (TRON-8). Pure.
 *
 * What `transfer` returns proves nothing: USDT returns false although it succeeded. Its `Transfer` logs do.
 */
import { asCurrency } from "../../AddressCodec.ts"
import { transferOf } from "../../ethereum/evidence/Events.ts"
import type { EvmLog } from "../../ethereum/evidence/EvmTransaction.ts"
import type { TronTransaction } from "../evidence/TronTransaction.ts"
import { paidOrderIn } from "./SentPayment.ts"

/** What of a payment's whole amount its token has moved. */
export interface Delivered {
  readonly whole: bigint
  /** Less where the token keeps a part or moved nothing. */
  readonly moved: bigint
}

/** Undefined for a payment of TRX, which is all or nothing, and for what pays no order. */
export const deliveredBy = (
  transaction: Pick<TronTransaction, "act" | "memo">,
  logs: ReadonlyArray<EvmLog>
): Delivered | undefined => {
  const { act } = transaction
  const paid = paidOrderIn(transaction)
  if (paid === undefined || act._tag !== "Trigger" || asCurrency(act.contract) !== paid.currency) return undefined
  const moved = logs.reduce((sum, log) => {
    const transfer = log.address === act.contract ? transferOf(log) : undefined
    return transfer?.from === act.owner && transfer.to === paid.recipient ? sum + transfer.amount : sum
  }, 0n)
  return { whole: paid.amount, moved }
}

/** False for a token that moved less than the amount. */
export const hasDelivered = (
  transaction: Pick<TronTransaction, "act" | "memo">,
  logs: ReadonlyArray<EvmLog>
): boolean => {
  const delivered = deliveredBy(transaction, logs)
  return delivered === undefined || delivered.moved >= delivered.whole
}
