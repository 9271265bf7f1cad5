/** A step of a quote on Tron by tronweb: the node builds the call, the wallet signs it, and the node broadcasts it. */
import type { TronWeb } from "tronweb"

/** `steps[].items[].data`: the parameters of a `TriggerSmartContract`. */
export interface TronData {
  readonly parameter: object
}

type Unsigned = Parameters<TronWeb["trx"]["sign"]>[0]

/** Returns the transaction's id. */
export const sendOnTron = async (tronWeb: TronWeb, { parameter }: TronData): Promise<string> => {
  const { transaction } = await tronWeb.fullNode.request<{ readonly transaction: Unsigned }>(
    "wallet/triggersmartcontract",
    { ...parameter, visible: false, fee_limit: 30_000_000 },
    "post"
  )
  const signed = await tronWeb.trx.sign(transaction)
  if (typeof signed === "string") throw new Error("the wallet signed a text")
  const { message, result } = await tronWeb.trx.sendRawTransaction(signed)
  if (!result) throw new Error(Buffer.from(message ?? "", "hex").toString())
  return signed.txID
}
