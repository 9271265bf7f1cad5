/**
 * A wallet on Bitcoin, by bitcoinjs-lib: one key, and the P2WPKH address that pays. The node is an Esplora-compatible
 * explorer, which tells the network by its first block.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import * as secp from "@noble/secp256k1"
import { networks, payments, Psbt } from "bitcoinjs-lib"
import type { Network } from "bitcoinjs-lib"
import { createBase58check } from "@scure/base"
import { bitcoinWallet } from "../../../transfer/client/bitcoin/BitcoinWallet.ts"
import { NodeUnusable } from "./NodeUnusable.ts"
import type { OpenWallet } from "./LocalWallet.ts"

secp.hashes.sha256 = sha256
secp.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/** First blocks of the public networks. Any other chain is a private one, whose addresses are those of regtest. */
const networkOf: Readonly<Record<string, Network>> = {
  "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f": networks.bitcoin,
  "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943": networks.testnet,
  "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043": networks.testnet,
  "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6": networks.testnet
}

const KEY_BYTES = 32
const TIMEOUT_MS = 10_000

/** 64 hex digits, or the form that wallets export (WIF), of a compressed key. */
const keyBytes = (key: string): Uint8Array => {
  const digits = key.replace(/^0x/u, "")
  if (/^[0-9a-fA-F]{64}$/u.test(digits)) return Uint8Array.from(Buffer.from(digits, "hex"))
  const [version, ...rest] = createBase58check(sha256).decode(key)
  const compressed = rest.length === KEY_BYTES + 1 && rest[KEY_BYTES] === 1
  if ((version !== 0x80 && version !== 0xef) || !compressed) throw new Error("no key")
  return Uint8Array.from(rest.slice(0, KEY_BYTES))
}

/** Signs all inputs: those of a quote are coins of this account. */
export const openBitcoin: OpenWallet = async (key, explorerUrl) => {
  const privateKey = keyBytes(key)
  const publicKey = secp.getPublicKey(privateKey, true)
  const url = explorerUrl.replace(/\/+$/u, "")
  const first = await fetch(`${url}/block-height/0`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((answer) => answer.text()).then((text) => text.trim(), () => "")
  if (!/^[0-9a-f]{64}$/u.test(first)) throw new NodeUnusable("no Esplora-compatible explorer answers there")
  const network = networkOf[first] ?? networks.regtest
  const { address } = payments.p2wpkh({ pubkey: publicKey, network })
  if (address === undefined) throw new Error("no key")
  const signer = {
    publicKey,
    sign: (hash: Uint8Array) => secp.sign(hash, privateKey, { prehash: false })
  }
  return {
    account: address,
    wallet: bitcoinWallet({
      explorerUrl: url,
      signPsbt: (psbt) =>
        Promise.resolve(
          Psbt.fromHex(psbt, { network }).signAllInputs(signer).finalizeAllInputs().extractTransaction().toHex()
        )
    })
  }
}
