/**
 * The accounts that sign on Bitcoin chains, each one key and its P2WPKH script: the one that pays, and deposit addresses.
 * The keys stay with their signers.
 *
 * A signer of secp256k1 tells its account on EVM chains and no public key, so the public key is recovered from a
 * signature. SECURITY: what is signed for that is the hash of a text, which is the digest of no transaction.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Result } from "effect"
import type { Secp256k1Signer, Secp256k1Tree } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Curve } from "../../../src/domain/encoding/Curve.ts"
import { keyPath, pathText } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { KeyFamily, KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { addressOfScript } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { p2wpkhOf } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import type { PoolRule } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"

export interface KeyAccount {
  readonly script: Uint8Array
  /** Compressed. */
  readonly publicKey: Uint8Array
  /** r‖s of a digest, with low s. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array, SignerUnavailable>
}

export type DepositAccount = (place: KeyPlace) => Effect.Effect<KeyAccount, SignerUnavailable>

export class SolverAccount extends Context.Service<SolverAccount, {
  /** Pays. */
  readonly account: KeyAccount
  readonly pool: PoolRule
  /** The deposit address whose key is at a place. Undefined in a process without their seed. */
  readonly depositAccount: DepositAccount | undefined
}>()("causeway/adapters/bitcoin/SolverAccount") {}

/** Twenty payments can wait at once. A coin is worth one from 0.001 BTC on. */
export const usualPool: PoolRule = { coins: 20, least: 100_000n, split: 3, cluster: 20 }

const QUESTION = sha256(utf8ToBytes("Causeway asks which key this is. It moves nothing."))

/** The same point by its x and the parity of its y. */
const compressed = (point: Uint8Array): Uint8Array =>
  concatBytes(Uint8Array.of(2 + (point.at(-1) ?? 0) % 2), point.subarray(1, 33))

/** Signs once. `curve`: a host with addresses of derived keys asks for thousands, so a fast one. */
export const keyAccount = Effect.fnUntraced(
  function*(
    curve: Pick<Curve, "recover">,
    { sign }: Pick<Secp256k1Signer, "sign">
  ): Effect.fn.Return<KeyAccount, SignerUnavailable> {
    const signature = yield* sign(QUESTION)
    const recovery = (signature[64] ?? 27) - 27
    const publicKey = compressed(curve.recover(QUESTION, { compact: signature.subarray(0, 64), recovery }))
    return {
      script: p2wpkhOf(publicKey),
      publicKey,
      sign: (digest) => Effect.map(sign(digest), (made) => made.subarray(0, 64))
    }
  }
)

/** Every P2WPKH script has an address. */
export const addressOn = ({ script }: Pick<KeyAccount, "script">, { network }: Pick<Chain, "network">): Address =>
  Result.getOrThrow(addressOfScript(script, network))

/** As many as are swept in some minutes. */
const MOST_KNOWN = 1_000

/**
 * The accounts of a seed. An account is asked once who it is: a sweep signs each of its inputs by one, and the question
 * costs a signature, to be recovered.
 */
export const depositAccounts = (
  curve: Pick<Curve, "recover">,
  tree: Secp256k1Tree,
  family: Pick<KeyFamily, "coinType">
): DepositAccount => {
  const known = new Map<string, KeyAccount>()
  return Effect.fnUntraced(function*(place) {
    const path = keyPath(family, place)
    const name = pathText(path)
    const before = known.get(name)
    if (before !== undefined) return before
    const account = yield* Effect.flatMap(tree(path), (signer) => keyAccount(curve, signer))
    const [oldest] = known.size >= MOST_KNOWN ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(name, account)
    return account
  })
}
