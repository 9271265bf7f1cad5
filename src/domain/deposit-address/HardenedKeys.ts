/**
 * Private keys of deposit addresses, for families whose addresses are keys: derived from one seed by hardened paths
 * (SLIP-10, ADDRESS-3). A hardened path can be followed by whoever has the seed and nobody else: not by a process that
 * hands the addresses out, nor by who has one of the keys.
 *
 * Of curves without normal derivation (Ed25519) only; secp256k1 has its own rule (BIP-32). Equal to the published
 * vectors in a test.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { VmFamily } from "../chain/VmFamily.ts"

/**
 * Which key of a family: the `number`th, from zero, of a generation. A generation is one run of one worker
 * (`DepositKeys`).
 */
export interface KeyPlace {
  readonly generation: number
  readonly number: number
}

/** 2025-01-01, seconds: generations are counted from here, and fit a path's 31 bits until 2093. */
const GENERATIONS_FROM = 1_735_689_600

/** Indexes of a path are below this. */
const MOST_INDEX = 0x7fff_ffff

/**
 * The generation that begins now, `now` in milliseconds: the second, or the one after the last that is known. A store
 * that was restored knows fewer than there were, and all of those it has forgotten began before now.
 */
export const nextGeneration = (now: number, last: number | undefined): number =>
  Math.min(MOST_INDEX, Math.max(0, Math.floor(now / 1000) - GENERATIONS_FROM, last === undefined ? 0 : last + 1))

/** What is added to an index of a path that is hardened; every index is below it. */
const HARDENED = MOST_INDEX + 1

/** As registered for wallets (SLIP-44): two families never have one key. */
const coinOf = { "solana-vm": 501 } as const satisfies Partial<Record<VmFamily, number>>

/** Families whose deposit addresses are derived keys. */
export type KeyFamily = keyof typeof coinOf

export const keyFamilies: ReadonlyArray<KeyFamily> = ["solana-vm"]

export const isKeyFamily = (family: VmFamily): family is KeyFamily => keyFamilies.some((known) => known === family)

/** m/44'/coin'/generation'/number', each hardened. */
export const keyPath = (
  family: KeyFamily,
  { generation, number }: KeyPlace
): ReadonlyArray<number> => [44, coinOf[family], generation, number]

/** As people write it. */
export const pathText = (path: ReadonlyArray<number>): string => ["m", ...path.map((index) => `${index}'`)].join("/")

const childData = (key: Uint8Array, index: number): Uint8Array => {
  const data = new Uint8Array(37)
  data.set(key, 1)
  new DataView(data.buffer).setUint32(33, index + HARDENED)
  return data
}

/**
 * The private key of Ed25519 at a path; `seed`: 16 to 64 bytes. Throws nothing: an index is below 2^31, or it is
 * another one's.
 */
export const deriveEd25519 = (seed: Uint8Array, path: ReadonlyArray<number>): Uint8Array => {
  const node = path.reduce(
    (parent, index) => hmac(sha512, parent.subarray(32), childData(parent.subarray(0, 32), index)),
    hmac(sha512, utf8ToBytes("ed25519 seed"), seed)
  )
  return node.slice(0, 32)
}
