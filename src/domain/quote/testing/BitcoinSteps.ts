/**
 * The PSBT of a Bitcoin origin as a service would ask for it, written by bitcoinjs-lib: an encoder independent of the one
 * under test.
 */
import { networks, Psbt, script as scripts, toXOnly } from "bitcoinjs-lib"
import { publicKey, sourceOf, strippedSource, wallets } from "../../families/bitcoin/steps/testing/Wallets.ts"
import type { Wallet } from "../../families/bitcoin/steps/testing/Wallets.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { BitcoinTransactionData } from "../../families/bitcoin/BitcoinTransactionData.ts"

const network = networks.bitcoin
const OP_RETURN = 0x6a

/** What the user holds, in two coins. Satoshi. */
const held = [60_000_000n, 50_000_000n] as const

/** What every such transaction pays. Satoshi. */
export const bitcoinFee = 700n

/** A deposit address of orders on Bitcoin. */
export const bitcoinDepositAddress = "3P14159f73E4gFr7JterCCQh9QjiTjiZrG"

export const walletOf = (user: string): Wallet => {
  const wallet = wallets.find(({ address }) => address === user)
  if (wallet === undefined) throw new Error(`no wallet of ${user}`)
  return wallet
}

const nested = wallets.find(({ kind }) => kind === "P2WPKH")?.script ?? new Uint8Array()

const addCoin = (psbt: Psbt, wallet: Wallet, value: bigint, nonce: number): void => {
  const { kind, script } = wallet
  psbt.addInput({
    hash: sourceOf(wallet, value, nonce).getId(),
    index: nonce % 3,
    sequence: 0xfffffffd,
    ...(kind === "P2PKH"
      ? { nonWitnessUtxo: strippedSource(wallet, value, nonce) }
      : { witnessUtxo: { script, value } }),
    ...(kind === "P2SH-P2WPKH" ? { redeemScript: nested } : {}),
    ...(kind === "P2TR" ? { tapInternalKey: toXOnly(publicKey) } : {})
  })
}

/** Both coins to the payee, with a note of the order if it is named, and the rest back to the user. */
export const bitcoinTransaction = (
  { user }: Pick<ResolvedRequest, "user">,
  payee: string,
  amount: bigint,
  orderId: string | undefined
): BitcoinTransactionData => {
  const wallet = walletOf(user)
  const psbt = new Psbt({ network })
  held.forEach((value, nonce) => addCoin(psbt, wallet, value, nonce))
  psbt.addOutput({ address: payee, value: amount })
  if (orderId !== undefined) {
    psbt.addOutput({ script: scripts.compile([OP_RETURN, new TextEncoder().encode(orderId)]), value: 0n })
  }
  psbt.addOutput({ script: wallet.script, value: held[0] + held[1] - amount - bitcoinFee })
  return { psbt: psbt.toHex() }
}
