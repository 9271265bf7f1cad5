/**
 * Private keys of deposit addresses, for families whose addresses are keys: derived from one seed by hardened paths
 * (SLIP-10 for Ed25519, BIP-32 for secp256k1; ADDRESS-3). Only a holder of the seed can derive them. Neither a process
 * that hands the addresses out nor a holder of one of the keys can.
 *
 * Hardened paths alone: with a normal one, who has one key and the public key above it has all keys below. Tests compare
 * the results with the published vectors and with another implementation.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Point } from "@noble/secp256k1"
import { hexDigits } from "../encoding/HexDigits.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"

/**
 * The place of a key in its family: the `number`th key, from zero, of a generation. A generation is one run of one
 * worker (`DepositKeys`).
 */
export interface KeyPlace {
  readonly generation: number
  readonly number: number
}

/** 2025-01-01 in seconds. Generations count from here and fit the 31 bits of a path index until 2093. */
const GENERATIONS_FROM = 1_735_689_600

/** The highest index of a path. */
const MOST_INDEX = 0x7fff_ffff

/**
 * The generation that starts now, `now` in milliseconds: the current second, or the number after the last known one if
 * that is higher. A restored store has forgotten the latest generations, but all of them started before now.
 */
export const nextGeneration = (now: number, last: number | undefined): number =>
  Math.min(MOST_INDEX, Math.max(0, Math.floor(now / 1000) - GENERATIONS_FROM, last === undefined ? 0 : last + 1))

/** Added to the index of a hardened path. Every index is below it. */
const HARDENED = MOST_INDEX + 1

/** A family whose deposit addresses are derived keys. Two families never share a key. */
export type KeyFamily = FamilyRules & { readonly coinType: number }

/** True for families whose deposit addresses are derived keys (ADDRESS-3). */
export const isKeyFamily = (family: FamilyRules): family is KeyFamily => family.coinType !== undefined

/** m/44'/coin'/generation'/number', all hardened. */
export const keyPath = (
  { coinType }: Pick<KeyFamily, "coinType">,
  { generation, number }: KeyPlace
): ReadonlyArray<number> => [44, coinType, generation, number]

/** The usual notation. */
export const pathText = (path: ReadonlyArray<number>): string => ["m", ...path.map((index) => `${index}'`)].join("/")

const childData = (key: Uint8Array, index: number): Uint8Array => {
  const data = new Uint8Array(37)
  data.set(key, 1)
  new DataView(data.buffer).setUint32(33, index + HARDENED)
  return data
}

/** 64 bytes: the key, then its chain code. */
const childOf = (parent: Uint8Array, index: number): Uint8Array =>
  hmac(sha512, parent.subarray(32), childData(parent.subarray(0, 32), index))

const masterOf = (name: string, seed: Uint8Array): Uint8Array => hmac(sha512, utf8ToBytes(name), seed)

/**
 * The private key of Ed25519 at a path. `seed`: 16 to 64 bytes. Never throws. Indexes must be below 2^31: a larger one
 * gives the key of another index.
 */
export const deriveEd25519 = (seed: Uint8Array, path: ReadonlyArray<number>): Uint8Array =>
  path.reduce(childOf, masterOf("ed25519 seed", seed)).slice(0, 32)

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${hexDigits(bytes)}`)

const { n: ORDER } = Point.CURVE()

/** BIP-32 adds a child to its parent, modulo the order of the curve. */
const addedTo = (parent: Uint8Array, index: number): Uint8Array => {
  const child = childOf(parent, index)
  const key = (numberOf(child.subarray(0, 32)) + numberOf(parent.subarray(0, 32))) % ORDER
  child.set(hexToBytes(key.toString(16).padStart(64, "0")))
  return child
}

/**
 * The private key of secp256k1 at a path, as of `deriveEd25519`. BIP-32 skips an index whose number is not below the
 * order of the curve: no seed is known to have one, and of 2^127 places less than one has.
 */
export const deriveSecp256k1 = (seed: Uint8Array, path: ReadonlyArray<number>): Uint8Array =>
  path.reduce(addedTo, masterOf("Bitcoin seed", seed)).slice(0, 32)
