/**
 * keccak256 over @noble/hashes' permutation, without an object a call: a fifth faster on the short
 * inputs that struct hashes are made of. Equal to `keccak_256` in a test, and that very function on
 * big-endian machines.
 */
import { keccak_256, keccakP } from "@noble/hashes/sha3.js"
import { isLE } from "@noble/hashes/utils.js"

const rate = 136
const rounds = 24

/** Scratch, cleared before and after use; one call is over before another begins. */
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
