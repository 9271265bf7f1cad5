/**
 * What is a deposit on bitcoin-vm (BITCOIN-2): one piece of code, for the service that fills and for the oracle that
 * attests.
 *
 * A transaction is at most one deposit: all that its outputs pay the depository, for the order that the first OP_RETURN
 * with an id names, at the place of that output (0 without one). It is made by whom that output names, else by the
 * address of the first input that has one; with neither it is nobody's, and none. Pure and total.
 *
 * SECURITY: what spends a coin of the depository deposits nothing: its change is no new money.
 */
import { bitcoinAddresses } from "../BitcoinAddresses.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import type { DepositEvidence } from "../../../evidence/TransactionEvidence.ts"
import { type DepositNote, depositNoteIn } from "./OpReturn.ts"
import { type BtcDepository, firstAddress, pays, type SpendingTransaction, spendsDepository } from "./SpentCoins.ts"

const NO_ID = Hex32.make(`0x${"0".repeat(64)}`)

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

/** One, or none. */
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
    depositId: note?.id ?? NO_ID,
    depositor,
    currency: nativeCurrency,
    amount
  }]
}
