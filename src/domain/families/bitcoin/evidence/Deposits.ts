/**
 * Which deposit a transaction of bitcoin-vm makes (BITCOIN-2). The service that fills and the oracle that attests share
 * this code.
 *
 * A transaction makes at most one deposit: the sum of its outputs to the depository. Its order is in the first
 * OP_RETURN with an id, and its index is that of this output (0 without one). The depositor is the one named in this
 * output, else the address of the first input that has one. With neither there is no deposit. Pure and total.
 *
 * SECURITY: a transaction that spends a coin of the depository deposits nothing: its change is not new money.
 */
import { bitcoinAddresses } from "../BitcoinAddresses.ts"
import { ZERO_32 } from "../../../encoding/Hex.ts"
import type { DepositEvidence } from "../../../evidence/TransactionEvidence.ts"
import { type DepositNote, depositNoteIn } from "./OpReturn.ts"
import { type BtcDepository, firstAddress, pays, type SpendingTransaction, spendsDepository } from "./SpentCoins.ts"

interface PlacedNote extends DepositNote {
  readonly index: number
}

const noteOf = ({ outputs }: SpendingTransaction, { network }: BtcDepository): PlacedNote | undefined => {
  for (const [index, { script }] of outputs.entries()) {
    const note = depositNoteIn(script, network)
    if (note !== undefined) return { ...note, index }
  }
  return undefined
}

/** One deposit, or none. */
export const depositsOf = (
  transaction: SpendingTransaction,
  depository: BtcDepository
): ReadonlyArray<DepositEvidence> => {
  const amount = transaction.outputs.reduce(
    (sum, output) => pays(output.script, depository) ? sum + output.amount : sum,
    0n
  )
  if (amount === 0n || spendsDepository(transaction, depository)) return []
  const note = noteOf(transaction, depository)
  const depositor = note?.depositor ?? firstAddress(transaction, depository.network)
  if (depositor === undefined) return []
  const { nativeCurrency } = bitcoinAddresses(depository.network)
  return [{
    depository: depository.address,
    index: note?.index ?? 0,
    depositId: note?.id ?? ZERO_32,
    depositor,
    currency: nativeCurrency,
    amount
  }]
}
