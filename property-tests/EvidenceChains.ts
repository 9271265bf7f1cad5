/**
 * Numbered chains, accounts, currencies and transaction ids of all six families, for laws and negative cases. Each
 * family has two chains with the same depository address, so only the chain distinguishes their evidence.
 */
import { addressCodec, families } from "../src/domain/families/index.ts"
import * as Result from "effect/Result"
import type { Address, CurrencyAddress } from "../src/domain/chain/Address.ts"
import { ChainSlug } from "../src/domain/chain/ChainId.ts"
import { type Hex, type Hex32, hex32FromDigest, hexFromBytes, hexToBytes } from "../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../src/domain/encoding/Signature.ts"
import { parseTransactionId, type TransactionId } from "../src/domain/chain/TransactionId.ts"
import { type VmFamily, vmFamilies } from "../src/domain/chain/VmFamily.ts"
import type { JudgeContext, JudgedChain } from "../src/domain/evidence/judges/JudgeContext.ts"

/** Signs orders and issuances: with a real key in a service's own suite, with a stand-in in the laws. */
export interface Signer {
  readonly account: Address
  readonly sign: (hash: Hex32) => Hex
}

/** The big-endian bytes of a number. */
const bytesOf = (size: number, value: bigint): Uint8Array => {
  const out = new Uint8Array(size)
  for (let at = size - 1, rest = value; at >= 0; at--, rest >>= 8n) out[at] = Number(rest & 0xffn)
  return out
}

/** The 32-byte value of a number: for salts, nonces and ids of other orders. */
export const word = (number: number): Hex32 => hex32FromDigest(bytesOf(32, BigInt(number)))

/**
 * The secret key of exchange A's account with this number. It signs nonce mappings, which name the order of a transfer.
 */
export const exchangeAKey = (number: number): Hex32 => word(number + 1_000)

const keyed = new Map<number, Uint8Array>()

const keyedAccount = (number: number): Uint8Array => {
  const known = keyed.get(number) ??
    Result.getOrThrow(addressCodec("ethereum-vm").toBytes(Result.getOrThrow(accountOfKey(exchangeAKey(number)))))
  keyed.set(number, known)
  return known
}

const accountBytes = (family: VmFamily, number: number): Uint8Array => {
  // Spreads the digits over the bytes, so no two accounts look alike and none is a native sentinel.
  const spread = (size: number) => bytesOf(size, (BigInt(number) + 1n) * 0x0101_0101_0101_0101_0107n)
  switch (family) {
    case "solana-vm":
      return spread(32)
    case "tron-vm":
      return Uint8Array.of(0x41, ...spread(20))
    case "bitcoin-vm":
      return Uint8Array.of(0, ...spread(20))
    case "exchangeb-vm":
      return bytesOf(16, BigInt(number) + 1_000n)
    case "ethereum-vm":
      return spread(20)
    case "exchangea-vm":
      return keyedAccount(number)
  }
}

/** The account with this number, canonical. */
export const account = (family: VmFamily, number: number): Address =>
  Result.getOrThrow(addressCodec(family).fromBytes(accountBytes(family, number)))

/** Bitcoin has only its own currency. */
export const hasTokens = (family: VmFamily): boolean => family !== "bitcoin-vm"

/** The currency with this number. 0 is the native one; on Bitcoin all are. */
export const currency = (family: VmFamily, number: number): CurrencyAddress => {
  const codec = addressCodec(family)
  if (number === 0 || !hasTokens(family)) return codec.nativeCurrency
  const bytes = family === "exchangea-vm" ? bytesOf(16, BigInt(number)) : accountBytes(family, 900 + number)
  return Result.getOrThrow(codec.currencyFromBytes(bytes))
}

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** base58 of bytes that do not start with zero. */
const base58 = (bytes: Uint8Array): string => {
  let rest = BigInt(hexFromBytes(bytes))
  let text = ""
  for (; rest > 0n; rest /= 58n) text = alphabet.charAt(Number(rest % 58n)) + text
  return text
}

/** The transaction id with this number, canonical. */
export const transaction = (family: VmFamily, number: number): TransactionId => {
  const bytes = Uint8Array.of(0xab, ...bytesOf(family === "solana-vm" ? 63 : 31, BigInt(number)))
  return Result.getOrThrow(
    parseTransactionId(families[family], family === "solana-vm" ? base58(bytes) : hexFromBytes(bytes))
  )
}

/** Another spelling of the same id, if the family has one. */
export const respelled = (family: VmFamily, id: TransactionId): string => {
  const digits = id.replace(/^0x/, "")
  return family === "solana-vm" ? ` ${id}\n` : `\t0X${digits.toUpperCase()} `
}

/** The slug of a family's first or second chain. */
export const slug = (family: VmFamily, other = false): ChainSlug =>
  ChainSlug.make(family.replace("-vm", "") + (other ? "-other" : ""))

/** A slug that no configured chain has. */
export const unknownSlug = ChainSlug.make("nowhere")

const depositoryNumber = 50

const chains = new Map<string, JudgedChain>(
  vmFamilies.flatMap((family) =>
    [false, true].map((other): [string, JudgedChain] => [
      slug(family, other),
      {
        slug: slug(family, other),
        family: families[family],
        network: "mainnet",
        depository: account(family, depositoryNumber)
      }
    ])
  )
)

export const chainOf = (of: ChainSlug): JudgedChain | undefined => chains.get(of)

/** A signer without cryptography. Its signatures contain the signer and what was signed. */
export const standInSigner = (number: number): Signer => {
  const holder = account("ethereum-vm", number)
  return {
    account: holder,
    sign: (hash) => hexFromBytes(Uint8Array.of(...hexToBytes(hash), ...bytesOf(20, BigInt(holder))))
  }
}

/** Accepts stand-in signatures, as fast as comparing texts. */
export const standInContext: JudgeContext = {
  chainOf,
  network: "mainnet",
  isSignedBy: (hash, signature, signer) => signature === `${hash}${signer.slice(2)}`
}
