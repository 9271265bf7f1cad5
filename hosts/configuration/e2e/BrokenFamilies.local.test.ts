/**
 * Broken configurations of the families other than EVM, against local nodes of each: the entry, the configured value,
 * and what was found.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { observedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import { ChainFacts } from "../../../ports/chain/ChainFacts.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { compare, describeCompared } from "../../../src/domain/configuration/Compare.ts"
import { expectationsOf } from "../../../src/domain/configuration/Expectations.ts"
import type { Purpose } from "../../../src/domain/configuration/Expectation.ts"
import { Bitcoin } from "../../localnet/nodes/bitcoin/Bitcoin.ts"
import { ExchangeA } from "../../localnet/nodes/exchange-a/ExchangeA.ts"
import { start as startExchangeB } from "../../localnet/nodes/exchange-b/ExchangeB.ts"
import { Tron } from "../../localnet/nodes/tron/Tron.ts"
import { genesisHashOf } from "../../localnet/nodes/solana/node/Chain.ts"
import { startFixture } from "../../localnet/nodes/solana/testing/Fixture.ts"
import { chainOf } from "../entries/ChainFromEntry.ts"
import { ChainEntry } from "../entries/ChainsFile.ts"
import { families } from "../../families.ts"
import { layerChainFacts } from "../testing/Facts.ts"

const file = new URL("../../../configs/chains.local.json", import.meta.url)
const local = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(ChainEntry)))(readFileSync(file, "utf8"))

const entry = (id: string, change: Partial<ChainEntry> = {}): Chain => {
  const found = local.find((each) => each.id === id)
  if (found === undefined) throw new Error(`configs/chains.local.json has no ${id}`)
  return Result.getOrThrow(chainOf({ ...found, httpRpcUrl: "http://127.0.0.1:1", ...change }, families))
}

const currencies = (
  id: string,
  symbol: string,
  change: { readonly decimals?: number; readonly address?: string }
): Partial<ChainEntry> => ({
  currencies: (local.find((each) => each.id === id)?.currencies ?? []).map((each) =>
    each.symbol === symbol ? { ...each, ...change } : each
  )
})

const trade: Purpose = { _tag: "Trade", accounts: {}, feeds: [] }

/** All differences. */
const differences = Effect.fnUntraced(function*(chain: Chain, url: string, purpose: Purpose = { _tag: "Attest" }) {
  const expectations = expectationsOf(chain, purpose)
  const endpoints = { ...Result.getOrThrow(observedEndpoints([Redacted.make(url)])), decides: "quorum" } as const
  const found = yield* Effect.flatMap(ChainFacts, (facts) => facts.read(chain, expectations.map(({ ask }) => ask)))
    .pipe(
      Effect.provide(layerChainFacts([{ chain, endpoints }])),
      Effect.scoped
    )
  return compare(expectations, found).filter(({ verdict }) => verdict !== "same").map((compared) =>
    describeCompared(chain.slug, compared)
  )
})

describe("a broken configuration", () => {
  it.live("of Solana: another cluster, a depository that is no program, a token that is no mint, other decimals", () =>
    Effect.scoped(Effect.gen(function*() {
      const { solana: { url } } = yield* startFixture()
      const genesisHash = genesisHashOf("test")
      const id = "solana-local"
      const whole = entry(id, { additionalData: { genesisHash } })
      const { depository } = whole
      const usdc = whole.currencies.find(({ symbol }) => symbol === "USDC")?.address ?? ""
      const said = (change: Partial<ChainEntry>) =>
        differences(entry(id, { additionalData: { genesisHash }, ...change }), url, trade)
      assert.deepStrictEqual(yield* said({}), [])
      assert.deepStrictEqual(yield* said({ additionalData: { genesisHash: depository } }), [
        `chain ${id}: genesisHash: configured ${depository}, found ${genesisHash}`
      ])
      assert.deepStrictEqual(yield* said({ depository: usdc }), [
        `chain ${id}: depository (${usdc}): configured a program, found no code`
      ])
      assert.deepStrictEqual(yield* said(currencies(id, "USDC", { decimals: 9 })), [
        `chain ${id}: currencies.USDC.decimals (${usdc}): configured 9, found 6`
      ])
      assert.include(
        (yield* said(currencies(id, "USDC", { address: depository }))).join(),
        `currencies.USDC.decimals (${depository}): configured 6, found no token`
      )
    })))

  it.live("of Bitcoin: another network", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* Bitcoin.start()
      const chain = entry("bitcoin-local")
      assert.deepStrictEqual(yield* differences(chain, url), [])
      const genesisHash = "0".repeat(64)
      assert.deepStrictEqual(yield* differences({ ...chain, genesisHash }, url), [
        `chain bitcoin-local: genesisHash: configured ${genesisHash}, found ${chain.genesisHash}`
      ])
    })))

  it.live("of Tron: another chain, a depository without code", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* Tron.start()
      const chain = entry("tron-local")
      assert.deepStrictEqual(yield* differences(chain, url), [])
      const depository = chain.native.address
      const said = (yield* differences(entry("tron-local", { depository }), url)).join("\n")
      assert.include(said, `depository (${depository}): configured code, found no code`)
      assert.include(said, `depository.callRequests (${depository}): configured false, found no answer`)
      assert.include(
        (yield* differences({ ...chain, id: local[0]?.chainId ?? chain.id }, url)).join(),
        `chainId: configured ${local[0]?.chainId}, found`
      )
    })))

  it.live("of exchange A: the solver's or the depository's account in a mode that cannot pay from perps (EXCHANGEA-36)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { book, misbehave, urls: [url = ""] } = yield* ExchangeA.start()
      const [depository, solver] = [`0x${"11".repeat(20)}`, Address.make(`0x${"22".repeat(20)}`)]
      const chain = entry("exchangea-local", { depository })
      const paying: Purpose = { _tag: "Trade", accounts: { solver }, feeds: [] }
      assert.deepStrictEqual(yield* differences(chain, url, paying), [])
      for (const mode of ["disabled", "dexAbstraction"] as const) {
        book.setMode(solver, mode)
        assert.deepStrictEqual(yield* differences(chain, url, paying), [])
      }
      const todo =
        "which cannot pay from perps: set the mode to disabled with the account's key, or use another account"
      book.setMode(depository, "portfolioMargin")
      book.setMode(solver, "unifiedAccount")
      const said = (name: string, of: string, mode: string) =>
        `chain exchangea-local: ${name} mode (${of}): configured separate balances, found ${mode}, ${todo}`
      assert.deepStrictEqual(yield* differences(chain, url, paying), [
        said("depository", depository, "portfolioMargin"),
        said("solver", solver, "unifiedAccount")
      ])
      // Evidence is the same in every mode.
      assert.deepStrictEqual(yield* differences(chain, url), [])
      yield* misbehave({ kind: "lie", questions: ["userAbstraction"], tell: () => "somethingNew" })
      assert.include((yield* differences(chain, url, paying)).join(), "the mode somethingNew, which this version")
    })))

  it.live("of exchange B: a solver's account that is unified, or does not exist (EXCHANGEB-28)", () =>
    Effect.scoped(Effect.gen(function*() {
      const exchange = yield* startExchangeB()
      const [url = ""] = exchange.urls
      const chain = entry("exchangeb-local", { depository: "7" })
      const paying: Purpose = { _tag: "Trade", accounts: { solver: Address.make("9") }, feeds: [] }
      const found = (text: string) =>
        `chain exchangeb-local: solver mode (9): configured separate balances, found ${text}`
      assert.deepStrictEqual(yield* differences(chain, url, paying), [found("no such account")])
      exchange.open(9, `0x${"11".repeat(20)}`)
      assert.deepStrictEqual(yield* differences(chain, url, paying), [])
      exchange.unify(9, true)
      assert.deepStrictEqual(yield* differences(chain, url, paying), [
        found(
          "a unified account, from which no nonce can be used up: set account_trading_mode to 0 with one of the account's API keys, or use another account"
        )
      ])
      assert.deepStrictEqual(yield* differences(chain, url), [])
      const answering = (account: object) =>
        exchange.misbehave({ kind: "lie", questions: ["account"], tell: () => ({ code: 200, accounts: [account] }) })
      // As exchanges answered before there were modes, and a mode of the future.
      yield* answering({ index: 9 })
      assert.deepStrictEqual(yield* differences(chain, url, paying), [])
      yield* answering({ index: 9, account_trading_mode: 2 })
      assert.include((yield* differences(chain, url, paying)).join(), "the mode 2, which this version does not know")
    })))

  it.live("of the exchanges: other decimals than their metadata, and a token that they do not have", () =>
    Effect.scoped(Effect.gen(function*() {
      const [{ urls: [a = ""] }, { urls: [b = ""] }] = [yield* ExchangeA.start(), yield* startExchangeB()]
      const accounts = { depository: `0x${"11".repeat(20)}` }
      for (
        const [id, url, right, given] of [["exchangea-local", a, 8, accounts], ["exchangeb-local", b, 6, {
          depository: "7"
        }]] as const
      ) {
        assert.deepStrictEqual(yield* differences(entry(id, given), url), [])
        assert.include(
          (yield* differences(entry(id, { ...given, ...currencies(id, "USDC", { decimals: right + 1 }) }), url)).join(),
          `currencies.USDC.decimals (${entry(id, given).native.address}): configured ${right + 1}, found ${right}`
        )
      }
      assert.deepStrictEqual(yield* differences(entry("exchangea-local", accounts), a, trade), [])
      const known = entry("exchangeb-local", { depository: "7" })
      const unknown = {
        ...known,
        currencies: [...known.currencies, {
          ...known.native,
          address: entry("alpha").native.address,
          symbol: "NONE",
          isNative: false
        }]
      }
      assert.include((yield* differences(unknown, b)).join(), "currencies.NONE.decimals")
    })))
})
