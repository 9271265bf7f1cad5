/**
 * Randomness that is a function of the seed. Each part of a run has dice of its own (`of`), so that switching a fault
 * off leaves the draws of the others as they were.
 */
import type { Random } from "effect"
import { createHash } from "node:crypto"

export interface Dice {
  /** At least 0, below 1. */
  readonly next: () => number
  /** A whole number, both ends included. */
  readonly between: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(list: readonly [A, ...ReadonlyArray<A>]) => A
  /** Dice for a part of the run. */
  readonly of: (part: string) => Dice
}

/** The 32 bits that a text stands for (FNV-1a). */
const hash = (text: string): number => {
  let bits = 0x811c9dc5
  for (const letter of text) bits = Math.imul(bits ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return bits >>> 0
}

/** mulberry32: enough for choosing moves, for nothing else. */
const generator = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const makeDice = (seed: number | string): Dice => {
  const next = generator(hash(`${seed}`))
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)] ?? list[0],
    of: (part) => makeDice(`${seed}/${part}`)
  }
}

/** Effect's `Random`, thrown with these dice. */
export const randomOf = ({ next }: Dice): typeof Random.Random.Service => ({
  nextDoubleUnsafe: next,
  nextIntUnsafe: () =>
    Math.floor(next() * (Number.MAX_SAFE_INTEGER - Number.MIN_SAFE_INTEGER + 1)) + Number.MIN_SAFE_INTEGER
})

/** The service's cryptography: its ids are thrown with these dice, and a digest keeps no thread busy. */
export const cryptoOf = ({ between }: Dice): typeof globalThis.crypto => {
  const subtle = new Proxy(globalThis.crypto.subtle, {
    get: (target, name): unknown =>
      name === "digest"
        ? (_sha256: unknown, data: Uint8Array) => {
          const { buffer, byteLength, byteOffset } = createHash("sha256").update(data).digest()
          return Promise.resolve(buffer.slice(byteOffset, byteOffset + byteLength))
        }
        : Reflect.get(target, name)
  })
  return new Proxy(globalThis.crypto, {
    get: (target, name): unknown => {
      if (name === "subtle") return subtle
      return name === "getRandomValues"
        ? (bytes: Uint8Array) => {
          for (let at = 0; at < bytes.length; at += 1) bytes[at] = between(0, 255)
          return bytes
        }
        : Reflect.get(target, name)
    }
  })
}
