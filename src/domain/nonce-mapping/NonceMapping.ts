/**
 * The order of an exchange A transfer (EXCHANGEA-4, EXCHANGEA-5). The exchange's transfers contain no text, so the
 * wallet signs by EIP-712 that the transfer with this nonce is for this id.
 *
 * Guarantee: a mapping is verified wherever it is used. Its signer is the wallet, and the wallet is its own depositor.
 * If there are several, the first one stored counts, permanently; that is decided elsewhere.
 */
import { concatBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { Address, InvalidAddress } from "../chain/Address.ts"
import { exchangeAAddresses } from "../families/exchange-a/ExchangeAAddresses.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import { type Hex, type Hex32, hexToBytes } from "../encoding/Hex.ts"
import { recoverDigest } from "../encoding/Signature.ts"
import type { Signatures } from "../encoding/Signature.ts"
import { hashWords, isUint256, keccak, keccakText, word, wordOf } from "../encoding/StructHash.ts"

/** What a wallet signs. */
export interface NonceMapping {
  /** The exchange's chain, by its slug in the protocol. */
  readonly chain: ChainSlug
  readonly wallet: Address
  readonly depositor: Address
  /** The transfer's nonce, by convention its time in milliseconds. */
  readonly nonce: bigint
  /** The order's id. */
  readonly id: Hex32
}

/** A mapping with the wallet's EIP-712 signature (EXCHANGEA-4). */
export interface SignedNonceMapping extends NonceMapping {
  /** The EIP-155 number of the chain that the wallet was on when it signed. Any number is accepted. */
  readonly signatureChainId: number
  readonly signature: Hex
}

/** A mapping that the transfer service has stored. */
export interface KeptNonceMapping extends SignedNonceMapping {
  /** Milliseconds, by the service's clock. */
  readonly createdAt: number
}

const domainTypeHash = keccakText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
const [nameHash, versionHash] = [keccakText("RelayNonceMapping"), keccakText("2")]
const mappingTypeHash = keccakText(
  "NonceMapping(string chainId,address wallet,address depositor,bytes32 id,uint256 nonce)"
)
const prefix = Uint8Array.of(0x19, 0x01)

/** What the wallet signs of a mapping: 32 bytes. Fails for accounts that are none of the exchange. */
export const mappingDigest = (
  { chain, depositor, id, nonce, signatureChainId, wallet }: Omit<SignedNonceMapping, "signature">
): Result.Result<Uint8Array, InvalidAddress> =>
  Result.gen(function*() {
    const domain = hashWords([domainTypeHash, nameHash, versionHash, word(BigInt(signatureChainId)), word(0n)])
    const struct = hashWords([
      mappingTypeHash,
      keccakText(chain),
      wordOf(yield* exchangeAAddresses.toBytes(wallet)),
      wordOf(yield* exchangeAAddresses.toBytes(depositor)),
      hexToBytes(id),
      word(nonce)
    ])
    return keccak(concatBytes(prefix, domain, struct))
  })

/**
 * True when the wallet signed this for itself: signer, wallet and depositor are the same. Total. `recover`: this
 * process's faster function with the same results.
 */
export const isOwnMapping = (
  mapping: SignedNonceMapping,
  recover: Signatures["recoverDigest"] = recoverDigest
): boolean => {
  if (mapping.wallet !== mapping.depositor || !isUint256(mapping.nonce)) return false
  if (!Number.isSafeInteger(mapping.signatureChainId) || mapping.signatureChainId < 0) return false
  const signer = Result.flatMap(
    mappingDigest(mapping),
    (digest): Result.Result<Address, unknown> => recover(digest, mapping.signature)
  )
  return Result.isSuccess(signer) && signer.success === mapping.wallet
}
