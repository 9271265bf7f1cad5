/**
 * Wallets for tests, one for each kind of address that can deposit. Unmodified bitcoinjs-lib makes their addresses, and
 * signs and finalises a PSBT as a public wallet adapter does: all inputs, every sighash that is allowed, then
 * broadcast.
 */
import { assert } from "@effect/vitest"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { etc, getPublicKey, hashes, Point, schnorr, sign } from "@noble/secp256k1"
import { crypto, initEccLib, networks, payments, Psbt, Transaction } from "bitcoinjs-lib"
import type { KeyScriptKind } from "../../spending/KeyScript.ts"
import type { Coin } from "../../spending/FundOutputs.ts"
import type { ReadCoin } from "../ReadCoins.ts"

hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
const even = (x: Uint8Array) => Point.fromBytes(concatBytes(Uint8Array.of(2), x))
const added = (x: Uint8Array, tweak: Uint8Array) =>
  numberOf(tweak) === 0n ? even(x) : even(x).add(Point.BASE.multiply(numberOf(tweak)))

/** What bitcoinjs needs for taproot, by noble. It verifies it with vectors of its own. */
initEccLib({
  isXOnlyPoint: (x) => {
    try {
      return even(x).toBytes().length === 33
    } catch {
      return false
    }
  },
  xOnlyPointAddTweak: (x, tweak) => {
    const point = added(x, tweak)
    // The point at infinity is no key.
    if (point.equals(Point.ZERO)) return null
    const bytes = point.toBytes(true)
    return { parity: bytes[0] === 3 ? 1 : 0, xOnlyPubkey: Uint8Array.from(bytes.subarray(1)) }
  }
})

const ownSecret = sha256(new TextEncoder().encode("a wallet of the tests"))

/** Everything that one secret signs with. */
const signersOf = (secret: Uint8Array) => {
  const publicKey = Uint8Array.from(getPublicKey(secret, true))
  const internalPubkey = publicKey.slice(1)
  /** The key that spends the taproot address: the internal key with an even y, tweaked by itself (BIP-341). */
  const tweakedSecret = (): Uint8Array => {
    const own = publicKey[0] === 3 ? Point.CURVE().n - numberOf(secret) : numberOf(secret)
    const tweak = numberOf(crypto.taggedHash("TapTweak", internalPubkey))
    return etc.numberToBytesBE((own + tweak) % Point.CURVE().n)
  }
  const keySigner = { publicKey, sign: (hash: Uint8Array) => sign(hash, secret, { prehash: false }) }
  const taprootSigner = {
    publicKey: Uint8Array.from(getPublicKey(tweakedSecret(), true)),
    sign: keySigner.sign,
    signSchnorr: (hash: Uint8Array) => schnorr.sign(hash, tweakedSecret())
  }
  return { publicKey, internalPubkey, keySigner, taprootSigner }
}

export const { publicKey } = signersOf(ownSecret)

export interface Wallet {
  readonly kind: KeyScriptKind
  readonly address: string
  readonly script: Uint8Array
  /** What a quote has to be told (`additionalData.userPublicKey`). */
  readonly publicKey: Uint8Array | undefined
  /** The signed transaction of a PSBT in hex. */
  readonly signed: (psbt: string) => Transaction
}

type Network = typeof networks.bitcoin

const walletOf = (
  network: Network,
  { keySigner, publicKey: key, taprootSigner }: ReturnType<typeof signersOf>,
  kind: KeyScriptKind,
  { address, output }: { readonly address?: string | undefined; readonly output?: Uint8Array | undefined }
): Wallet => {
  if (address === undefined || output === undefined) return assert.fail(`no ${kind} address`)
  const isTaproot = kind === "P2TR"
  return {
    kind,
    address,
    script: Uint8Array.from(output),
    publicKey: kind === "P2TR" || kind === "P2SH-P2WPKH" ? key : undefined,
    signed: (hex) =>
      Psbt.fromHex(hex, { network })
        .signAllInputs(isTaproot ? taprootSigner : keySigner, [
          Transaction.SIGHASH_DEFAULT,
          Transaction.SIGHASH_ALL
        ])
        .finalizeAllInputs()
        .extractTransaction()
  }
}

/** The wallets of one secret on a network, one for each kind of address. */
export const walletsOn = (network: Network, secret: Uint8Array = ownSecret): ReadonlyArray<Wallet> => {
  const signers = signersOf(secret)
  const { internalPubkey, publicKey: pubkey } = signers
  return [
    walletOf(network, signers, "P2WPKH", payments.p2wpkh({ pubkey, network })),
    walletOf(network, signers, "P2PKH", payments.p2pkh({ pubkey, network })),
    walletOf(network, signers, "P2SH-P2WPKH", payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }), network })),
    walletOf(network, signers, "P2TR", payments.p2tr({ internalPubkey, network }))
  ]
}

export const wallets = walletsOn(networks.bitcoin)

/** The transaction that made a wallet's coin, as number `nonce`, with other outputs before it and a witness. */
export const sourceOf = ({ script }: Pick<Wallet, "script">, amount: bigint, nonce: number): Transaction => {
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(nonce % 255 + 1), nonce)
  transaction.setWitness(0, [new Uint8Array(72).fill(7)])
  for (let before = 0; before < nonce % 3; before++) transaction.addOutput(Uint8Array.of(0x51), 5n)
  transaction.addOutput(script, amount)
  return transaction
}

/** A coin of this wallet, as the chain has it. */
export const coinOf = (wallet: Pick<Wallet, "script">, amount: bigint, nonce: number): Coin => ({
  transactionId: sourceOf(wallet, amount, nonce).getId(),
  index: nonce % 3,
  amount
})

/** Its bytes without the witness. */
export const strippedSource = (wallet: Pick<Wallet, "script">, amount: bigint, nonce: number): Uint8Array => {
  const source = sourceOf(wallet, amount, nonce)
  for (const input of source.ins) input.witness = []
  return Uint8Array.from(source.toBuffer())
}

/** A coin of this wallet as a PSBT has to show it. */
export const shownCoin = (wallet: Wallet, amount: bigint, nonce: number): ReadCoin => ({
  ...coinOf(wallet, amount, nonce),
  shown: wallet.kind === "P2PKH"
    ? { _tag: "Source", transaction: strippedSource(wallet, amount, nonce) }
    : { _tag: "Output", output: { amount, script: wallet.script } }
})
