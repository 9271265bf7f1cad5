import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { zeroAddress } from "viem"
import { plan } from "./Arguments.ts"
import { localnet } from "./testing/Described.ts"

const address = localnet.accounts[0]?.address ?? ""
const asked = (...words: ReadonlyArray<string>) => Result.getOrThrow(plan(words, localnet))
const refused = (...words: ReadonlyArray<string>) => Result.getOrThrow(Result.flip(plan(words, localnet))).message

describe("the arguments of npm run demo", () => {
  it("have defaults", () => {
    const { amount, from, recipient, to } = asked()
    assert.deepStrictEqual([from.id, to.id, from.currency.address, amount, recipient], ["alpha", "beta", zeroAddress, 10n ** 17n, address])
  })

  it("are exact: amounts in the smallest unit of the currency", () => {
    assert.strictEqual(asked("--currency", "usdc", "--amount", "25.000001").amount, 25000001n)
    assert.strictEqual(asked("--amount", "0.000000000000000001").amount, 1n)
    assert.strictEqual(asked("--amount=9007199254740993").amount, 9007199254740993n * 10n ** 18n)
    assert.strictEqual(asked("--from", "beta", "--to", "alpha").from.chainId, 2)
  })

  it("that are nonsense are refused, with what would be right", () => {
    assert.include(refused("--from", "gamma"), "alpha, beta")
    assert.include(refused("--to", "gamma"), "alpha, beta")
    assert.include(refused("--currency", "DOGE"), "ETH, USDC")
    for (const amount of ["", "0", "0.0", "-1", "1e3", "1,5", ".5", "1.", "NaN", "0x1", " 1"]) {
      assert.include(refused(`--amount=${amount}`), "--amount", amount)
    }
    assert.include(refused("--currency", "USDC", "--amount", "0.0000001"), "6 decimals")
    assert.include(refused("--recipient", "0x12"), "--recipient")
    assert.include(refused("--recipient", address.replace(/[A-F]/, (digit) => digit.toLowerCase())), "--recipient")
    for (const words of [["--nonsense"], ["alpha"], ["--amount"]]) assert.include(refused(...words), "usage")
  })
})
