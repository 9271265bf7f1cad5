/**
 * How a transaction of bitcoin-vm uses the coins of a withdrawal (BITCOIN-4): it executes the withdrawal, spends one of
 * the coins otherwise, or leaves them untouched.
 *
 * It executes the withdrawal if it spends every coin of the PSBT and has exactly its outputs, in their order. A
 * replacement with less change is another withdrawal with its own PSBT.
 */
import type { Psbt } from "../Psbt.ts"
import type { BtcOutpoint, BtcTransaction } from "./BtcTransaction.ts"
import { sameBytes } from "./SpentCoins.ts"

/** What a transaction does with the coins of a withdrawal. */
export type Spending = "executed" | "otherwise" | "untouched"

const nameOf = ({ index, transactionId }: BtcOutpoint): string => `${transactionId}:${index}`

/**
 * `executed` only with exactly the withdrawal's outputs; any other spending of one of its coins is `otherwise`
 * (BITCOIN-4).
 */
export const spendingOf = (psbt: Pick<Psbt, "transaction">, { inputs, outputs }: BtcTransaction): Spending => {
  const spent = new Set(inputs.map(nameOf))
  const coins = psbt.transaction.inputs.map(nameOf)
  if (!coins.some((coin) => spent.has(coin))) return "untouched"
  const asked = psbt.transaction.outputs
  const same = outputs.length === asked.length &&
    asked.every(({ amount, script }, at) => outputs[at]?.amount === amount && sameBytes(outputs[at].script, script))
  return same && coins.every((coin) => spent.has(coin)) ? "executed" : "otherwise"
}
