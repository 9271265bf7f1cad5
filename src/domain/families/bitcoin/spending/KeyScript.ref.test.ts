/** Against bitcoinjs-lib: which key spends an address, which addresses no single key spends, and what is dust. */
import { assert, describe, it } from "@effect/vitest"
import { networks, payments } from "bitcoinjs-lib"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { publicKey, wallets } from "../steps/testing/Wallets.ts"
import { dustOf } from "./Dust.ts"
import { isTaprootOf, keyScriptOf } from "./KeyScript.ts"
import { taprootProgram } from "./TaprootProgram.ts"

const scriptOf = ({ output }: { readonly output?: Uint8Array | undefined }): Uint8Array =>
  Uint8Array.from(output ?? assert.fail("no script"))

const refusal = (script: Uint8Array, key: Uint8Array | undefined) => {
  const owner = keyScriptOf(script, key)
  return Result.isFailure(owner) ? owner.failure : owner.success._tag
}

describe("the key of an address", () => {
  it("is found for every kind of address that one key spends", () => {
    for (const wallet of wallets) assert.strictEqual(refusal(wallet.script, wallet.publicKey), wallet.kind)
  })

  it("is asked for where the address does not reveal it, and no other key is taken", () => {
    for (const { kind, script } of wallets) {
      if (kind !== "P2TR" && kind !== "P2SH-P2WPKH") continue
      const named = kind === "P2TR" ? "P2TR" : "P2SH"
      assert.deepStrictEqual(refusal(script, undefined), { _tag: "KeyNeeded", kind: named })
      for (let at = 0; at < publicKey.length; at++) {
        // The sign of a taproot key's y does not matter.
        if (kind === "P2TR" && at === 0) continue
        const other = publicKey.slice()
        other[at] = (other[at] ?? 0) ^ 1
        assert.deepStrictEqual(refusal(script, other), { _tag: "OtherKey", kind: named }, `byte ${at}`)
      }
      for (const size of [0, 1, 20, 32, 34, 65]) {
        assert.deepStrictEqual(refusal(script, new Uint8Array(size).fill(2)), { _tag: "OtherKey", kind: named })
      }
    }
  })

  it("of taproot is the internal key without its sign byte, too", () => {
    const taproot = wallets.find(({ kind }) => kind === "P2TR") ?? assert.fail("none")
    assert.strictEqual(refusal(taproot.script, publicKey.slice(1)), "P2TR")
    assert.isTrue(isTaprootOf(publicKey.slice(1), taproot.script))
  })

  it("does not exist for scripts of several keys or of conditions, which are named", () => {
    const multisig = payments.p2ms({ m: 1, pubkeys: [publicKey, publicKey] })
    assert.deepStrictEqual(refusal(scriptOf(payments.p2wsh({ redeem: multisig })), publicKey), {
      _tag: "NotOneKey",
      kind: "P2WSH"
    })
    assert.deepStrictEqual(refusal(scriptOf(multisig), publicKey), { _tag: "NotOneKey", kind: "a script of its own" })
    assert.deepStrictEqual(refusal(scriptOf(payments.p2sh({ redeem: multisig })), publicKey), {
      _tag: "OtherKey",
      kind: "P2SH"
    })
  })

  it("of taproot gives the program that bitcoinjs computes, or none where that has none", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (internalPubkey) => {
        const expected = (() => {
          try {
            return payments.p2tr({ internalPubkey, network: networks.bitcoin }).pubkey
          } catch {
            return undefined
          }
        })()
        const program = taprootProgram(internalPubkey)
        assert.deepStrictEqual(program && Uint8Array.from(program), expected && Uint8Array.from(expected))
      }),
      { numRuns: inputs(100, 5_000) }
    )
  })
})

describe("dust", () => {
  it("is what Core's default settings refuse, for each kind of script", () => {
    const least = new Map([["P2PKH", 546n], ["P2SH-P2WPKH", 540n], ["P2WPKH", 294n], ["P2TR", 330n]])
    for (const { kind, script } of wallets) assert.strictEqual(dustOf(script), least.get(kind), kind)
    assert.strictEqual(dustOf(Uint8Array.of(0x00, 32, ...new Uint8Array(32))), 330n)
    assert.strictEqual(dustOf(Uint8Array.of(0x51, 2, 0x4e, 0x73)), 240n)
    assert.strictEqual(dustOf(Uint8Array.of(0x6a, 1, 1)), 0n)
  })
})
