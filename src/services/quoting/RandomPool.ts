/**
 * Secure random bytes for ids and salts, drawn many at a time: a draw from the system costs as much as a hundredth of a
 * quote, whatever its length. Bytes are given once, and are gone from the pool then.
 */
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

/** Bytes of one draw: some 70 quotes. */
const DRAWN = 4_096

/** `take` gives `size` bytes, at most 4,096. */
export const makeRandomPool = (random: SecureRandom["Service"]) => {
  let pool: Uint8Array = new Uint8Array(0)
  const cut = (size: number): Uint8Array => {
    const taken = pool.slice(0, size)
    pool.fill(0, 0, size)
    pool = pool.subarray(size)
    return taken
  }
  const take = (size: number): Effect.Effect<Uint8Array> =>
    Effect.suspend(() =>
      pool.length >= size ? Effect.succeed(cut(size)) : Effect.map(random.randomBytes(DRAWN), (drawn) => {
        pool = drawn
        return cut(size)
      })
    )
  return { take }
}
