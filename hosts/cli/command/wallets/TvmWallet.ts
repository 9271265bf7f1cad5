/** A wallet on a chain of the Tron family, by tronweb's own signer: it refuses a transaction that is not what it says. */
import { TronWeb } from "tronweb"
import { tronWallet } from "../../../transfer/client/tron/TronWallet.ts"
import type { OpenWallet } from "./LocalWallet.ts"

/** The node builds the transaction, the wallet compares it with what was asked for, and tronweb signs it. */
export const openTvm: OpenWallet = (key, nodeUrl) => {
  const tronWeb = new TronWeb({ fullHost: nodeUrl, privateKey: key.replace(/^0x/u, "") })
  const account = tronWeb.defaultAddress.base58
  return typeof account === "string"
    ? Promise.resolve({ account, wallet: tronWallet({ trx: tronWeb.trx, nodeUrl }) })
    : Promise.reject(new Error("no key"))
}
