import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { localnet, withFamilies, withSolana } from "../demo/testing/Described.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import { flags, plan } from "./Arguments.ts"

const planned = (network: Localnet, ...words: ReadonlyArray<string>) => {
  const { amount, chain, id } = Result.getOrThrow(plan(valuesOf(flags, words), network))
  return { amount, chain: chain.id, symbol: chain.currency.symbol, id }
}
const refused = (network: Localnet, ...words: ReadonlyArray<string>) =>
  Result.getOrThrow(Result.flip(plan(valuesOf(flags, words), network))).message

describe("npm run attest", () => {
  it("deposits a hundredth of the chain's native currency by default, on exchange B one, or the given amount under the given order", () => {
    const id = `0x${"aB".repeat(32)}`
    const of = (network: Localnet, chain: string) => {
      const { amount, symbol } = planned(network, "--chain", chain)
      return `${amount} ${symbol}`
    }
    assert.strictEqual(of(localnet, "alpha"), "10000000000000000 ETH")
    assert.strictEqual(of(withSolana, "solana-local"), "10000000 SOL")
    assert.strictEqual(of(withFamilies, "bitcoin-local"), "1000000 BTC")
    assert.strictEqual(of(withFamilies, "tron-local"), "10000 TRX")
    assert.strictEqual(of(withFamilies, "exchangea-local"), "1000000 USDC")
    assert.strictEqual(of(withFamilies, "exchangeb-local"), "1000000 USDC")
    assert.deepStrictEqual(planned(withFamilies, "--chain", "bitcoin-local", "--amount", "0.00000001", "--id", id), {
      amount: 1n,
      chain: "bitcoin-local",
      symbol: "BTC",
      id: id.toLowerCase()
    })
    assert.notStrictEqual(planned(localnet, "--chain", "alpha").id, planned(localnet, "--chain", "alpha").id)
  })

  it("names the available chains, and the flag of one that is not running", () => {
    assert.include(refused(localnet), "--chain is missing: one of alpha, beta")
    assert.include(refused(localnet, "--chain", "gamma"), "none of the chains: alpha, beta")
    assert.include(refused(localnet, "--chain", "bitcoin-local"), "npm start -- --with-bitcoin")
    assert.include(refused(localnet, "--chain", "tron-local"), "npm start -- --with-tron")
    assert.include(refused(localnet, "--chain", "exchangea-local"), "npm start -- --with-exchange-a")
    assert.include(refused(localnet, "--chain", "exchangeb-local"), "npm start -- --with-exchange-b")
    assert.include(refused(withFamilies, "--chain", "exchangeb-local", "--amount", "0.0000001"), "decimals of USDC")
    assert.include(refused(localnet, "--chain", "alpha", "--id", "0x12"), "--id 0x12 is not 0x and 64 hex digits")
  })
})
