/**
 * secp256k1 as users, nodes and services of the worlds compute it, and the keys of deposit addresses: noble would take a
 * fifth of a run's time.
 */
import { createHmac } from "node:crypto"
import { hexToBytes } from "@noble/hashes/utils.js"
import { Point } from "@noble/secp256k1"
import { nativeCurve } from "../../adapters/signing/secp256k1/NativeCurve.ts"
import { nobleCurve } from "../../src/domain/encoding/NobleCurve.ts"
import { hexDigits } from "../../src/domain/encoding/HexDigits.ts"
import { signaturesOn } from "../../src/domain/encoding/Signature.ts"

const { accountOfKey, recoverDigest, signDigest } = signaturesOn(await nativeCurve() ?? nobleCurve)

/** As the domain's functions of these names, only faster. */
export { accountOfKey as accountOfKeyFast, recoverDigest as recoverFast, signDigest as signFast }

const hmac = (key: Uint8Array | string, data: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac("sha512", key).update(data).digest())

const HARDENED = 2 ** 31
const { n: ORDER } = Point.CURVE()
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${hexDigits(bytes)}`)

/** Key and chain code of a hardened child (BIP-32). */
const childOf = (parent: Uint8Array, index: number): Uint8Array => {
  const data = new Uint8Array(37)
  data.set(parent.subarray(0, 32), 1)
  new DataView(data.buffer).setUint32(33, index + HARDENED)
  const child = hmac(parent.subarray(32), data)
  const key = (numberOf(child.subarray(0, 32)) + numberOf(parent.subarray(0, 32))) % ORDER
  child.set(hexToBytes(key.toString(16).padStart(64, "0")))
  return child
}

/** As `deriveSecp256k1`. What the paths of one process have in common is derived once. */
export const derivesFast = (seed: Uint8Array): (path: ReadonlyArray<number>) => Uint8Array => {
  const master = hmac("Bitcoin seed", seed)
  let [place, parent] = ["", master]
  return (path) => {
    const [above, last] = [path.slice(0, -1), path.at(-1)]
    if (last === undefined) return master.slice(0, 32)
    const name = above.join("/")
    if (name !== place) [place, parent] = [name, above.reduce(childOf, master)]
    return childOf(parent, last).slice(0, 32)
  }
}
