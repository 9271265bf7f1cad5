/**
 * Output scripts that one key can spend, and what a signer must be shown of that key (BITCOIN-5).
 *
 * A script hash and a taproot program do not reveal the key, so it is asked for and checked: the script that it gives
 * must be the address's. P2WSH, bare scripts and script hashes of anything but P2WPKH need several keys or a script that
 * only its owner knows. They are refused by name.
 */
import { ripemd160 } from "@noble/hashes/legacy.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import { sameBytes } from "../evidence/SpentCoins.ts"
import { taprootProgram } from "./TaprootProgram.ts"

/** How the coins of a script are signed. */
export type KeyScript =
  | { readonly _tag: "P2PKH" }
  | { readonly _tag: "P2WPKH" }
  /** `redeemScript`: the P2WPKH script that the address is the hash of. */
  | { readonly _tag: "P2SH-P2WPKH"; readonly redeemScript: Uint8Array }
  /** `internalKey`: the x coordinate, 32 bytes. Spent by the key alone: the address has no script path. */
  | { readonly _tag: "P2TR"; readonly internalKey: Uint8Array }

/** The kinds of addresses that one key spends. */
export type KeyScriptKind = KeyScript["_tag"]

/** Why the address cannot be spent by one known key (BITCOIN-5). */
export type KeyScriptRefusal =
  /** The address does not reveal the public key, and none was given. */
  | { readonly _tag: "KeyNeeded"; readonly kind: "P2SH" | "P2TR" }
  /** The key that was given is not the address's, or not a public key. */
  | { readonly _tag: "OtherKey"; readonly kind: "P2SH" | "P2TR" }
  /** One key does not spend it. `kind` is for people. */
  | { readonly _tag: "NotOneKey"; readonly kind: string }

/** ripemd160 of sha256. */
export const hash160 = (data: Uint8Array): Uint8Array => ripemd160(sha256(data))

const OP_0 = 0x00
const OP_1 = 0x51

const startsWith = (script: Uint8Array, length: number, ...first: ReadonlyArray<number>): boolean =>
  script.length === length && first.every((byte, at) => script[at] === byte)

const isP2pkh = (script: Uint8Array): boolean =>
  startsWith(script, 25, 0x76, 0xa9, 20) && script[23] === 0x88 && script[24] === 0xac
const isP2sh = (script: Uint8Array): boolean => startsWith(script, 23, 0xa9, 20) && script[22] === 0x87
/** True for a script of version 0 with a key's hash. */
export const isP2wpkh = (script: Uint8Array): boolean => startsWith(script, 22, OP_0, 20)
const isP2wsh = (script: Uint8Array): boolean => startsWith(script, 34, OP_0, 32)
const isP2tr = (script: Uint8Array): boolean => startsWith(script, 34, OP_1, 32)

/** The P2WPKH script of a compressed public key. */
export const p2wpkhOf = (publicKey: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(OP_0, 20), hash160(publicKey))

const isCompressed = (key: Uint8Array): boolean => key.length === 33 && (key[0] === 2 || key[0] === 3)

/** The script hash of a redeem script that is P2WPKH. False for every other redeem script. */
export const redeems = (redeemScript: Uint8Array, script: Uint8Array): boolean =>
  isP2sh(script) && isP2wpkh(redeemScript) && sameBytes(hash160(redeemScript), script.subarray(2, 22))

/** Whether a taproot address is this internal key's, without a script path (BIP-86). */
export const isTaprootOf = (internalKey: Uint8Array, script: Uint8Array): boolean => {
  const program = isP2tr(script) ? taprootProgram(internalKey) : undefined
  return program !== undefined && sameBytes(program, script.subarray(2))
}

const refused = (refusal: KeyScriptRefusal): Result.Result<never, KeyScriptRefusal> => Result.fail(refusal)

/**
 * How a script's coins are signed. `publicKey` is needed for P2SH (compressed, 33 bytes) and P2TR (the internal key,
 * with or without its sign byte); other scripts ignore it.
 */
export const keyScriptOf = (
  script: Uint8Array,
  publicKey: Uint8Array | undefined
): Result.Result<KeyScript, KeyScriptRefusal> => {
  if (isP2wpkh(script)) return Result.succeed({ _tag: "P2WPKH" })
  if (isP2pkh(script)) return Result.succeed({ _tag: "P2PKH" })
  if (isP2sh(script)) {
    if (publicKey === undefined) return refused({ _tag: "KeyNeeded", kind: "P2SH" })
    const redeemScript = p2wpkhOf(publicKey)
    return isCompressed(publicKey) && redeems(redeemScript, script)
      ? Result.succeed({ _tag: "P2SH-P2WPKH", redeemScript })
      : refused({ _tag: "OtherKey", kind: "P2SH" })
  }
  if (isP2tr(script)) {
    if (publicKey === undefined) return refused({ _tag: "KeyNeeded", kind: "P2TR" })
    const internalKey = isCompressed(publicKey) ? publicKey.slice(1) : publicKey
    return isTaprootOf(internalKey, script)
      ? Result.succeed({ _tag: "P2TR", internalKey })
      : refused({ _tag: "OtherKey", kind: "P2TR" })
  }
  return refused({ _tag: "NotOneKey", kind: isP2wsh(script) ? "P2WSH" : "a script of its own" })
}
