/**
 * keccak256 on the permutation of @noble/hashes, without allocating an object per call: a fifth faster on the short
 * inputs of struct hashes. A test compares it with `keccak_256`, which is used itself on big-endian machines.
 */
import { keccak_256, keccakP } from "@noble/hashes/sha3.js"
import { isLE } from "@noble/hashes/utils.js"

const rate = 136
const rounds = 24

/** Scratch, cleared before and after use. Calls never overlap. */
const state = new Uint32Array(50)
const bytes = new Uint8Array(state.buffer)

const absorb = (data: Uint8Array): Uint8Array => {
  let at = 0
  for (let index = 0; index < data.length; index++) {
    bytes[at] = (bytes[at] ?? 0) ^ (data[index] ?? 0)
    at++
    if (at === rate) {
      keccakP(state, rounds)
      at = 0
    }
  }
  bytes[at] = (bytes[at] ?? 0) ^ 0x01
  bytes[rate - 1] = (bytes[rate - 1] ?? 0) ^ 0x80
  keccakP(state, rounds)
  const digest = bytes.slice(0, 32)
  state.fill(0)
  return digest
}

/** keccak256. */
export const keccak: (data: Uint8Array) => Uint8Array = isLE ? absorb : keccak_256
