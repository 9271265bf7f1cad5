import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { zeroAddress } from "viem"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { flags, plan } from "./Arguments.ts"
import { localnet, withFamilies, withSolana } from "./testing/Described.ts"

const address = localnet.accounts[0]?.address ?? ""
const asked = (...words: ReadonlyArray<string>) => Result.getOrThrow(plan(valuesOf(flags, words), localnet))
const onSolana = (...words: ReadonlyArray<string>) => Result.getOrThrow(plan(valuesOf(flags, words), withSolana))
const refused = (...words: ReadonlyArray<string>) =>
  Result.getOrThrow(Result.flip(plan(valuesOf(flags, words), localnet))).message

describe("the arguments of npm run demo", () => {
  it("have defaults", () => {
    const { amount, from, recipient, to } = asked()
    assert.deepStrictEqual([from.id, to.id, from.currency.address, amount, recipient], [
      "alpha",
      "beta",
      zeroAddress,
      10n ** 17n,
      address
    ])
  })

  it("are exact, in the smallest unit of the currency", () => {
    assert.strictEqual(asked("--currency", "usdc", "--amount", "25.000001").amount, 25000001n)
    assert.strictEqual(asked("--amount", "0.000000000000000001").amount, 1n)
    assert.strictEqual(asked("--amount=9007199254740993").amount, 9007199254740993n * 10n ** 18n)
    assert.strictEqual(asked("--from", "beta", "--to", "alpha").from.chainId, 2)
  })

  it("go from and to Solana: native for native, tokens of the same name, each side by its own account", () => {
    const [wallet] = withSolana.solana?.accounts ?? []
    const there = onSolana("--to", "solana-local")
    assert.deepStrictEqual([
      there.from.currency.symbol,
      there.to.currency.symbol,
      there.amount,
      there.user.address,
      there.recipient
    ], ["ETH", "SOL", 10n ** 17n, address, wallet?.address])
    const back = onSolana("--from", "solana-local", "--to", "alpha", "--amount", "1.5")
    assert.deepStrictEqual(
      [back.from.currency.symbol, back.to.currency.symbol, back.amount, back.user, back.recipient],
      ["SOL", "ETH", 1_500_000_000n, wallet, address]
    )
    const usdc = onSolana("--to", "solana-local", "--currency", "usdc", "--recipient", "new", "--sponsored")
    assert.deepStrictEqual([usdc.from.currency.symbol, usdc.to.currency.symbol, usdc.recipient, usdc.sponsor], [
      "USDC",
      "USDC",
      "new",
      { apiKey: "" }
    ])
    assert.strictEqual(
      onSolana("--from", "solana-local", "--to", "beta", "--to-currency", "USDC").to.currency.symbol,
      "USDC"
    )
    assert.isUndefined(asked().sponsor)
  })

  it("go from and to Bitcoin, native for native, where the network has it", () => {
    const onBitcoin = (...words: ReadonlyArray<string>) => plan(valuesOf(flags, words), withFamilies)
    const [user] = withFamilies.bitcoin?.accounts ?? []
    const from = Result.getOrThrow(onBitcoin("--from", "bitcoin-local", "--to", "alpha", "--amount", "0.00000001"))
    assert.deepStrictEqual([from.from.currency.symbol, from.to.currency.symbol, from.amount, from.user], [
      "BTC",
      "ETH",
      1n,
      user
    ])
    assert.strictEqual(Result.getOrThrow(onBitcoin("--to", "bitcoin-local")).recipient, user?.address)
    const wrong = onBitcoin("--to", "bitcoin-local", "--recipient", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
    assert.include(Result.getOrThrow(Result.flip(wrong)).message, "no address of bitcoin-local")
    assert.include(refused("--from", "bitcoin-local"), "npm start -- --with-bitcoin")
  })

  it("go from and to Tron, in TRX and its tokens, where the network has it", () => {
    const onTron = (...words: ReadonlyArray<string>) => plan(valuesOf(flags, words), withFamilies)
    const [user] = withFamilies.tron?.accounts ?? []
    const from = Result.getOrThrow(onTron("--from", "tron-local", "--to", "alpha", "--amount", "0.000001"))
    assert.deepStrictEqual([from.from.currency.symbol, from.to.currency.symbol, from.amount, from.user], [
      "TRX",
      "ETH",
      1n,
      user
    ])
    assert.strictEqual(Result.getOrThrow(onTron("--to", "tron-local")).recipient, user?.address)
    const wrong = onTron("--to", "tron-local", "--recipient", "11111111111111111111111111111111")
    assert.include(Result.getOrThrow(Result.flip(wrong)).message, "no address of tron-local")
    assert.include(refused("--from", "tron-local"), "npm start -- --with-tron")
  })

  it("go from and to exchange A, in USDC on perps and on spot, where the network has it", () => {
    const onExchange = (...words: ReadonlyArray<string>) => plan(valuesOf(flags, words), withFamilies)
    const [user] = withFamilies.exchangeA?.accounts ?? []
    const from = Result.getOrThrow(onExchange("--from", "exchangea-local", "--to", "alpha", "--amount", "0.000001"))
    assert.deepStrictEqual([from.from.currency.symbol, from.to.currency.symbol, from.amount, from.user], [
      "USDC",
      "USDC",
      100n,
      user
    ])
    assert.strictEqual(Result.getOrThrow(onExchange("--to", "exchangea-local")).recipient, user?.address)
    const wrong = onExchange("--to", "exchangea-local", "--recipient", "0x12")
    assert.include(Result.getOrThrow(Result.flip(wrong)).message, "no address of exchangea-local")
    assert.include(refused("--from", "exchangea-local"), "npm start -- --with-exchange-a")
  })

  it("of Solana that make no sense are refused with the correct form", () => {
    const wrong = (...words: ReadonlyArray<string>) =>
      Result.getOrThrow(Result.flip(plan(valuesOf(flags, words), withSolana))).message
    for (const option of ["--from", "--to"]) {
      assert.include(refused(option, "solana-local"), "without --without-solana")
      assert.include(wrong(option, "gamma"), "alpha, beta, solana-local")
    }
    assert.include(
      wrong("--to", "solana-local", "--currency", "ETH", "--to-currency", "ETH"),
      "SOL, USDC, FEE on solana-local"
    )
    assert.include(
      wrong("--from", "solana-local", "--to", "alpha", "--currency", "FEE"),
      "choose one of ETH, USDC with --to-currency"
    )
    assert.include(wrong("--from", "solana-local", "--amount", "0.0000000001"), "9 decimals of SOL")
    for (const recipient of [address, "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9Pus", "0OIl", "", "New"]) {
      assert.include(wrong("--to", "solana-local", `--recipient=${recipient}`), "no address of solana-local", recipient)
    }
    assert.include(wrong("--recipient", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"), "no address of beta")
  })

  it("that make no sense are refused with the correct form", () => {
    assert.include(refused("--from", "gamma"), "alpha, beta")
    assert.include(refused("--to", "gamma"), "alpha, beta")
    assert.include(refused("--currency", "DOGE"), "ETH, USDC")
    for (const amount of ["", "0", "0.0", "-1", "1e3", "1,5", ".5", "1.", "NaN", "0x1", " 1"]) {
      assert.include(refused(`--amount=${amount}`), "--amount", amount)
    }
    assert.include(refused("--currency", "USDC", "--amount", "0.0000001"), "6 decimals")
    assert.include(refused("--recipient", "0x12"), "--recipient")
    assert.include(refused("--recipient", address.replace(/[A-F]/, (digit) => digit.toLowerCase())), "--recipient")
    for (const words of [["--nonsense"], ["alpha"], ["--amount"]]) assert.throws(() => asked(...words))
  })
})
