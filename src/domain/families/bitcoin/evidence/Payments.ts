/**
 * Which payments a transaction of bitcoin-vm makes, and for which order (BITCOIN-3): every output with an address is a
 * payment, and every OP_RETURN that is an order id names an order. This is evidence; the judges decide what it proves.
 *
 * SECURITY: what the depository pays out is its owner's own money, and what reaches it is a deposit. Neither is a
 * payment.
 */
import * as Result from "effect/Result"
import { bitcoinAddresses } from "../BitcoinAddresses.ts"
import { addressOfScript } from "../BitcoinScript.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"
import type { PaymentEvidence } from "../../../evidence/TransactionEvidence.ts"
import type { BtcTransaction } from "./BtcTransaction.ts"
import { orderIdIn } from "./OpReturn.ts"
import { type BtcDepository, type SpendingTransaction, spendsDepository } from "./SpentCoins.ts"

/** One entry per mention, in the order of the outputs. */
export const orderIdsOf = ({ outputs }: Pick<BtcTransaction, "outputs">): ReadonlyArray<Hex32> =>
  outputs.flatMap(({ script }) => orderIdIn(script) ?? [])

const direct = { _tag: "Direct" } as const

/** In the order of the outputs. */
export const paymentsOf = (
  transaction: SpendingTransaction,
  depository: BtcDepository
): ReadonlyArray<PaymentEvidence> => {
  if (spendsDepository(transaction, depository)) return []
  const { nativeCurrency } = bitcoinAddresses(depository.network)
  return transaction.outputs.flatMap(({ amount, script }): ReadonlyArray<PaymentEvidence> => {
    const recipient = addressOfScript(script, depository.network)
    return Result.isFailure(recipient) || amount === 0n || recipient.success === depository.address
      ? []
      : [{ recipient: recipient.success, currency: nativeCurrency, amount, through: direct }]
  })
}
