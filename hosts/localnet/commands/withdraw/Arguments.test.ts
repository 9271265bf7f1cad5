import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { zeroAddress } from "viem"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { localnet, withFamilies } from "../demo/testing/Described.ts"
import { flags, plan } from "./Arguments.ts"

const asked = (...words: ReadonlyArray<string>) => Result.getOrThrow(plan(valuesOf(flags, words), localnet))
const refused = (...words: ReadonlyArray<string>) =>
  Result.getOrThrow(Result.flip(plan(valuesOf(flags, words), localnet))).message
const [first, second] = localnet.accounts

describe("the arguments of npm run withdraw", () => {
  it("have defaults: all of the solver's native currency of alpha, to itself", () => {
    const { amount, chain, end, owner, recipient, submitter } = asked()
    assert.deepStrictEqual([chain.id, chain.currency.address, amount, end], [
      "alpha",
      zeroAddress,
      undefined,
      "executed"
    ])
    assert.deepStrictEqual([owner.address, owner.chain, recipient, submitter.address], [
      localnet.solver.address,
      "beta",
      localnet.solver.address,
      first?.address
    ])
  })

  it("are exact, and the payer of gas is neither owner nor recipient", () => {
    const made = asked(
      "--chain",
      "beta",
      "--currency",
      "usdc",
      "--amount",
      "25.000001",
      "--owner",
      first?.address ?? "",
      "--owner-chain",
      "alpha",
      "--expire"
    )
    assert.deepStrictEqual([made.chain.id, made.amount, made.owner.chain, made.end], [
      "beta",
      25_000_001n,
      "alpha",
      "expired"
    ])
    assert.deepStrictEqual([made.owner.privateKey, made.recipient, made.submitter.address], [
      first?.privateKey,
      first?.address,
      second?.address
    ])
    assert.strictEqual(asked("--recipient", first?.address ?? "").submitter.address, second?.address)
  })

  it("name a currency and an account of Tron, and of its accounts one that is not paid submits", () => {
    const asking = (...words: ReadonlyArray<string>) =>
      plan(valuesOf(flags, ["--chain", "tron-local", ...words]), withFamilies)
    const tron = withFamilies.tron ?? assert.fail("no Tron chain")
    const made = Result.getOrThrow(asking("--amount", "1.5"))
    assert.deepInclude(made, { recipient: tron.solver.address, amount: 1_500_000n, end: "executed" })
    assert.strictEqual(made.chain.currency.symbol, "TRX")
    const message = (...words: ReadonlyArray<string>) => Result.getOrThrow(Result.flip(asking(...words))).message
    assert.include(message("--currency", "DOGE"), "TRX")
    assert.include(message("--recipient", localnet.solver.address), "local Tron chain")
    assert.include(message("--recipient", tron.accounts[0]?.address ?? ""), "could submit")
  })

  it("that make no sense are refused with the correct form", () => {
    assert.include(refused("--chain", "gamma"), "alpha, beta")
    assert.include(refused("--owner-chain", "gamma"), "alpha, beta")
    assert.include(refused("--currency", "DOGE"), "ETH, USDC")
    for (const amount of ["", "0", "-1", "1e3", "1,5", "0x1"]) {
      assert.include(refused(`--amount=${amount}`), "--amount", amount)
    }
    assert.include(refused("--currency", "USDC", "--amount", "0.0000001"), "6 decimals")
    for (const address of ["0x12", "0xaA00000000000000000000000000000000000001"]) {
      assert.include(refused("--recipient", address), "--recipient")
      assert.include(refused("--owner", address), "--owner")
    }
    assert.include(refused("--owner", "0x0000000000000000000000000000000000000001"), "neither the solver")
    for (const words of [["--nonsense"], ["alpha"], ["--amount"], ["--expire=perhaps"]]) {
      assert.throws(() => asked(...words))
    }
  })
})
