/**
 * How a simulated service signs: with the keys of its environment, on the fastest curve. Every process of every run
 * derives the same deposit addresses, so each is derived once and kept, and so are its signatures. What is kept and what is derived take equally
 * many steps of a fiber: a run must not depend on the runs before it.
 */
import { Effect, Redacted, Result } from "effect"
import { localSigners } from "../../hosts/transfer/config/Signing.ts"
import type { Secp256k1Tree } from "../../ports/signing/Signer.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import { pathText } from "../../src/domain/deposit-address/HardenedKeys.ts"
import { hex32FromDigest, hexToBytes } from "../../src/domain/encoding/Hex.ts"
import { hexDigits } from "../../src/domain/encoding/HexDigits.ts"
import type { Hex } from "../../src/domain/encoding/Hex.ts"
import { accountOfKeyFast, derivesFast, signFast } from "./FastCurve.ts"

/** At most some 300 MB. Processes start at any of some hundred seconds of a run, and each has addresses of its own. */
const MOST_KEPT = 600_000

const treeOf = (seed: Hex): Secp256k1Tree => {
  const accounts = new Map<string, Address>()
  const signatures = new Map<string, Uint8Array>()
  const derive = derivesFast(hexToBytes(seed))
  const keyAt = (path: ReadonlyArray<number>) => hex32FromDigest(derive(path))
  const accountAt = (path: ReadonlyArray<number>): Address => {
    const place = pathText(path)
    const known = accounts.get(place)
    if (known !== undefined) return known
    const account = Result.getOrThrow(accountOfKeyFast(keyAt(path)))
    if (accounts.size >= MOST_KEPT) accounts.clear()
    accounts.set(place, account)
    return account
  }
  /** Each process of each run asks each address for the same signature, to know its public key. */
  const signatureOf = (digest: Uint8Array, path: ReadonlyArray<number>): Uint8Array => {
    const name = `${pathText(path)} ${hexDigits(digest)}`
    const known = signatures.get(name)
    if (known !== undefined) return known
    const signature = hexToBytes(Result.getOrThrow(signFast(digest, keyAt(path))))
    if (signatures.size >= MOST_KEPT) signatures.clear()
    signatures.set(name, signature)
    return signature
  }
  return (path) =>
    Effect.sync(() => ({
      curve: "secp256k1",
      account: accountAt(path),
      sign: (digest) => Effect.sync(() => signatureOf(digest, path))
    }))
}

const trees = new Map<Hex, Secp256k1Tree>()

const keptTreeOf = (seed: Hex): Secp256k1Tree => {
  const tree = trees.get(seed) ?? treeOf(seed)
  trees.set(seed, tree)
  return tree
}

/** As the host's own signers (`Signing`), with deposit addresses that are kept. */
export const worldSigners: typeof localSigners = (keys) =>
  Effect.map(localSigners(keys), ({ deposits, ...others }) => ({
    ...others,
    deposits: deposits === undefined || keys.deposits === undefined
      ? undefined
      : { ...deposits, secp256k1: keptTreeOf(Redacted.value(keys.deposits)) }
  }))
