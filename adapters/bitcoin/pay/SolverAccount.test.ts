/** The account of a signer that tells no public key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { keyOf } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import type { Secp256k1Tree } from "../../../ports/signing/Signer.ts"
import type { Signatures } from "../../../ports/signing/Signatures.ts"
import { Hex32, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import { bitcoin } from "../../../src/domain/quote/testing/Chains.ts"
import { localSecp256k1 } from "../../signing/LocalSigner.ts"
import { nobleCurve } from "../../../src/domain/encoding/NobleCurve.ts"
import { nativeCurve } from "../../signing/secp256k1/NativeCurve.ts"
import { layer as layerSignatures } from "../../signing/LocalSignatures.ts"
import { addressOn, depositAccounts, keyAccount } from "./SolverAccount.ts"

const keyAt = (number: number) => Hex32.make(`0x${number.toString(16).padStart(64, "0")}`)

describe("the account of a signer", () => {
  it.effect("has the key's own address, and signs as the key does", () =>
    Effect.gen(function*() {
      const curves = [nobleCurve, (yield* Effect.promise(() => nativeCurve())) ?? nobleCurve]
      for (const [nth, digit] of ["1", "2", "a", "b", "c", "d", "e"].entries()) {
        const curve = curves[nth % 2] ?? nobleCurve
        const secret = Hex32.make(`0x${digit.repeat(64)}`)
        const account = yield* keyAccount(curve, yield* localSecp256k1(Redacted.make(secret)))
        const key = keyOf(hexToBytes(secret))
        assert.strictEqual(addressOn(account, { ...bitcoin, network: "regtest" }), key.address)
        assert.deepStrictEqual(account.publicKey, Uint8Array.from(key.publicKey))
        const digest = new Uint8Array(32).fill(7)
        assert.deepStrictEqual(yield* account.sign(digest), Uint8Array.from(key.sign(digest)))
      }
    }).pipe(Effect.provide(layerSignatures)))
})

describe("the accounts of a seed", () => {
  it.effect("are each asked once who they are, while they are among the last thousand", () =>
    Effect.gen(function*() {
      const signatures = yield* Effect.context<Signatures>()
      const asked: Array<string> = []
      const tree: Secp256k1Tree = (path) =>
        Effect.suspend(() => {
          asked.push(path.join("/"))
          return Effect.provide(localSecp256k1(Redacted.make(keyAt(path.at(-1) ?? assert.fail()))), signatures)
        })
      const curve = (yield* Effect.promise(() => nativeCurve())) ?? nobleCurve
      const accountOf = depositAccounts(curve, tree, { coinType: 0 })
      const at = (number: number) => accountOf({ generation: 3, number })
      const first = yield* at(1)
      assert.strictEqual(yield* at(1), first)
      assert.notDeepEqual((yield* at(2)).script, first.script)
      assert.deepStrictEqual(asked, ["44/0/3/1", "44/0/3/2"])
      yield* Effect.forEach(Array.from({ length: 1_000 }, (_, n) => n + 3), at)
      assert.deepStrictEqual((yield* at(1)).script, first.script)
      assert.strictEqual(asked.filter((path) => path === "44/0/3/1").length, 2)
    }).pipe(Effect.provide(layerSignatures)))
})
