import { addressCodec } from "../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { vaultOf } from "../families/solana/evidence/Programs.ts"
import { alpha, bitcoin, evmAddress, solana, solanaUser } from "../quote/testing/Chains.ts"
import { keepsNoPayment } from "./Chain.ts"

describe("accounts that cannot keep a payment", () => {
  it("are a chain's own contracts and currencies, and the vault of a Solana program", () => {
    const parse = addressCodec("solana-vm").parse
    const vault = Result.getOrThrow(parse(vaultOf(solana.depository) ?? ""))
    for (const own of [solana.depository, vault, Result.getOrThrow(parse(solana.native.address))]) {
      assert.isTrue(keepsNoPayment(solana, own), own)
    }
    assert.isFalse(keepsNoPayment(solana, solanaUser))
    for (const own of ["ad", "ae", "af", "fa", "f0", "f2", "a1"]) {
      assert.isTrue(keepsNoPayment(alpha, evmAddress(own)), own)
    }
    assert.isFalse(keepsNoPayment(alpha, evmAddress("cc")))
    assert.isTrue(keepsNoPayment(bitcoin, bitcoin.depository))
  })
})
