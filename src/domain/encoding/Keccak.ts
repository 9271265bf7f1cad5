/**
 * keccak256, several times as fast as @noble/hashes on the short inputs of struct hashes: its permutation is in
 * WebAssembly, and no object is made for a call but the digest. A test compares it with `keccak_256`, which is used
 * itself where there is no WebAssembly.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { makePermutation } from "./KeccakPermutation.ts"
import type { Permutation } from "./KeccakPermutation.ts"

const rate = 136

/**
 * The state is cleared after use, so the first block is copied, which is several times as fast as xor by byte: most
 * inputs have no second one. Calls never overlap.
 */
const absorbing = ({ permute, state }: Permutation) => (data: Uint8Array): Uint8Array => {
  let at = data.length
  if (at < rate) state.set(data)
  else {
    state.set(data.subarray(0, rate))
    permute()
    at = 0
    for (let index = rate; index < data.length; index++) {
      state[at] = (state[at] ?? 0) ^ (data[index] ?? 0)
      at++
      if (at === rate) {
        permute()
        at = 0
      }
    }
  }
  state[at] = (state[at] ?? 0) ^ 0x01
  state[rate - 1] = (state[rate - 1] ?? 0) ^ 0x80
  permute()
  const digest = state.slice(0, 32)
  state.fill(0)
  return digest
}

const permutation = makePermutation()

/** keccak256. */
export const keccak: (data: Uint8Array) => Uint8Array = permutation === undefined ? keccak_256 : absorbing(permutation)
