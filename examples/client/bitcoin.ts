/** A step of a quote on Bitcoin by bitcoinjs-lib: the wallet signs every input of the PSBT, an explorer broadcasts it. */
import { Psbt } from "bitcoinjs-lib"
import type { Signer } from "bitcoinjs-lib"

/** `steps[].items[].data`. */
export interface BitcoinData {
  readonly psbt: string
}

/** `explorerUrl`: Esplora-compatible, such as `https://mempool.space/api`. Returns the transaction's id. */
export const sendOnBitcoin = async (explorerUrl: string, signer: Signer, data: BitcoinData): Promise<string> => {
  const psbt = Psbt.fromHex(data.psbt)
  psbt.signAllInputs(signer)
  psbt.finalizeAllInputs()
  const body = psbt.extractTransaction().toHex()
  const answer = await fetch(`${explorerUrl}/tx`, { method: "POST", body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
