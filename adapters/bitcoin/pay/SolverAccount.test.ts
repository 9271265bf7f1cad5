/** The account of a signer that tells no public key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { keyOf } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { Hex32, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import { bitcoin } from "../../../src/domain/quote/testing/Chains.ts"
import { localSecp256k1 } from "../../signing/LocalSigner.ts"
import { layer as layerSignatures } from "../../signing/LocalSignatures.ts"
import { addressOn, keyAccount } from "./SolverAccount.ts"

describe("the account of a signer", () => {
  it.effect("has the key's own address, and signs as the key does", () =>
    Effect.gen(function*() {
      for (const digit of ["1", "2", "a", "b", "c", "d", "e"]) {
        const secret = Hex32.make(`0x${digit.repeat(64)}`)
        const account = yield* keyAccount(yield* localSecp256k1(Redacted.make(secret)))
        const key = keyOf(hexToBytes(secret))
        assert.strictEqual(addressOn(account, { ...bitcoin, network: "regtest" }), key.address)
        assert.deepStrictEqual(account.publicKey, Uint8Array.from(key.publicKey))
        const digest = new Uint8Array(32).fill(7)
        assert.deepStrictEqual(yield* account.sign(digest), Uint8Array.from(key.sign(digest)))
      }
    }).pipe(Effect.provide(layerSignatures)))
})
