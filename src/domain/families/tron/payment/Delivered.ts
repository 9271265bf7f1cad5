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

/** False for a token that moved less than the amount, because it keeps a part or moved nothing. */
export const hasDelivered = (
  transaction: Pick<TronTransaction, "act" | "memo">,
  logs: ReadonlyArray<EvmLog>
): boolean => {
  const { act } = transaction
  const paid = paidOrderIn(transaction)
  if (paid === undefined || act._tag !== "Trigger" || asCurrency(act.contract) !== paid.currency) return true
  const moved = logs.reduce((sum, log) => {
    const transfer = log.address === act.contract ? transferOf(log) : undefined
    return transfer?.from === act.owner && transfer.to === paid.recipient ? sum + transfer.amount : sum
  }, 0n)
  return moved >= paid.amount
}
