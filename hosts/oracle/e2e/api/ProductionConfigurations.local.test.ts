/**
 * The configurations shipped for production (CONFIG-9): complete, with the protocol's public addresses, and sufficient
 * for an oracle and, on mainnets, for a transfer service to start.
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { generatePrivateKey } from "viem/accounts"
import { hexToBigInt, keccak256, toHex, zeroAddress } from "viem"
import networks from "../../../configuration/testing/networks.json" with { type: "json" }
import { ChainsFile } from "../../../configuration/entries/ChainsFile.ts"
import { vmFamilies } from "../../../../src/domain/chain/VmFamily.ts"
import { priceKey } from "../../../configuration/entries/ConfiguredPrices.ts"
import { loadMarket } from "../../../configuration/LoadChains.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { post } from "../../../transfer/testing/Client.ts"
import { readEnvironment } from "../../../transfer/config/Environment.ts"
import { startOracleInstance } from "../../../transfer/testing/HostInstance.ts"
import { spawnHost } from "../../../transfer/testing/HostProcess.ts"
import { temporaryFolder } from "../../../localnet/testing/TemporaryFolder.ts"
import { untilAnswers } from "../../../transfer/testing/UntilAnswers.ts"
import { transaction } from "../../../../property-tests/EvidenceChains.ts"
import { families } from "../../../families.ts"
import { readOracleEnvironment } from "../../config/Environment.ts"

const configs = join(import.meta.dirname, "../../../../configs")
const textOf = (name: string, environment: string) => readFileSync(join(configs, `${name}.${environment}.json`), "utf8")
const decodeFile = Schema.decodeUnknownSync(Schema.fromJsonString(ChainsFile), { onExcessProperty: "error" })

const environments = ["mainnets.prod", "testnets.prod"] as const
const chainsOf = (environment: typeof environments[number]) => decodeFile(textOf("chains", environment))

/** Every variable that an environment's files name. */
const namedBy = (
  environment: string
): ReadonlyArray<string> => [
  ...new Set(
    [...`${textOf("chains", environment)}${textOf("chains.hub", environment)}`.matchAll(/"\$(\w+)"/g)].map((
      [, name = ""]
    ) => name)
  )
]

/** Addresses that are valid in a family, for those that a file leaves to a variable. */
const depositories: Readonly<Record<string, string>> = {
  SOLANA_DEVNET_GENESIS_HASH: "99vQwtBwYtrqqD9YSXbdum3KBdxPAVxYTaQ3cfnJSrN2",
  SOLANA_DEVNET_DEPOSITORY: "99vQwtBwYtrqqD9YSXbdum3KBdxPAVxYTaQ3cfnJSrN2",
  BITCOIN_TESTNET_DEPOSITORY: "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
  TRON_NILE_DEPOSITORY: "TXtEs6t2oUWQsNos7m68gbHdE9Q5n6x2oN",
  EXCHANGEA_TESTNET_DEPOSITORY: "0x865eb9baa5492cef598adf7afb1038654fcb7081",
  EXCHANGEB_TESTNET_DEPOSITORY: "723071",
  HUB_ADDRESS: "0xddd361727c22a01eb137880678a20b0beae69318"
}
/** For exchange A, whose chains need this variable besides those that the files name. */
const companion = { EXCHANGEA_HUB_API_URL: "http://127.0.0.1:9/s3cret" }
const valuesOf = (names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, depositories[name] ?? "http://127.0.0.1:9/s3cret"]))

const problemsOf = (environment: Readonly<Record<string, string>>) =>
  readOracleEnvironment.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment)),
    Effect.result,
    Effect.map((read) => Result.isSuccess(read) ? "none" : read.failure.message)
  )

describe("the chains that are shipped for production", () => {
  for (const environment of environments) {
    it(`of ${environment} cover every family, with the deployed protocol's public addresses`, () => {
      const chains = chainsOf(environment)
      const published = networks[environment]
      assert.sameMembers([...new Set(chains.map(({ vmType }) => vmType))], [...vmFamilies])
      for (const known of published.chains) {
        const { chainId, depository, httpRpcUrl, vmType } = chains.find(({ id }) => id === known.id) ??
          assert.fail(known.id)
        assert.deepStrictEqual<unknown>({ chainId: Number(chainId), depository, rpc: httpRpcUrl, vmType }, {
          chainId: known.chainId,
          depository: known.depository,
          rpc: known.rpc,
          vmType: known.vmType
        })
        if (environment === "testnets.prod" || vmType !== "ethereum-vm") continue
        assert.strictEqual(chains.find(({ id }) => id === known.id)?.router, networks["mainnets.prod"].router)
      }
      const hub: unknown = JSON.parse(textOf("chains.hub", environment))
      const { chainId, id, rpc, ...additionalData } = published.hub
      assert.deepStrictEqual(hub, [{
        id,
        httpRpcUrl: rpc,
        chainId: Number(chainId),
        additionalData: { hubAddress: "$HUB_ADDRESS", eip712Name: "RelayOracle", gate: "oracle", ...additionalData }
      }])
    })

    it(`of ${environment} have a number for the hub, and the finality of their kind`, () => {
      for (const { chainId, currencies, finality, hubChainId, id, vmType } of chainsOf(environment)) {
        const isNumbered = vmType === "ethereum-vm" || vmType === "tron-vm"
        assert.strictEqual(hubChainId, isNumbered ? `${chainId}` : `${hexToBigInt(keccak256(toHex(id)))}`, id)
        assert.strictEqual(
          currencies?.[0]?.address,
          families.find(({ rules }) => rules.name === vmType)?.rules.addresses("mainnet").nativeCurrency,
          id
        )
        // A chain with a finality tag uses it; where there is none, the number of blocks that the protocol asks for.
        const expected = id === "polygon"
          ? { blocks: 50, seconds: 60 }
          : vmType === "bitcoin-vm"
          ? { blocks: 6, seconds: 0 }
          : undefined
        if (expected !== undefined) assert.deepStrictEqual(finality, expected, id)
        else if (!vmType.startsWith("exchange")) assert.propertyVal(finality, "tag", "finalized", id)
      }
    })

    it.effect(`of ${environment}: all missing variables are named in one message; CHAINS requires only those of its chains`, () =>
      Effect.gen(function*() {
        const names = namedBy(environment)
        const given = { ENVIRONMENT: environment, ECDSA_PRIVATE_KEY: generatePrivateKey(), ...companion }
        const lacking = yield* problemsOf(given)
        for (const name of names) assert.include(lacking, name)
        assert.strictEqual(yield* problemsOf({ ...given, ...valuesOf(names) }), "none")
        assert.include(
          yield* problemsOf({ ...given, ...valuesOf(names), EXCHANGEA_HUB_API_URL: "" }),
          "EXCHANGEA_HUB_API_URL is not set: exchangea"
        )
        assert.notInclude(
          yield* problemsOf({ ...given, ...valuesOf(names), EXCHANGEA_HUB_API_URL: "s3cret" }),
          "s3cret"
        )
        for (const name of names) {
          const message = yield* problemsOf({ ...given, ...valuesOf(names.filter((each) => each !== name)) })
          assert.include(message, name)
          assert.notInclude(message, "s3cret")
        }
        const [first] = chainsOf(environment)
        const own = [
          ...namedBy(environment).filter((name) => name.startsWith("HUB_")),
          String(first?.httpRpcUrl).slice(1)
        ]
        assert.strictEqual(yield* problemsOf({ ...given, ...valuesOf(own), CHAINS: first?.id ?? "" }), "none")
        assert.include(yield* problemsOf({ ...given, ...valuesOf(names), CHAINS: "mars" }), "mars")
      }))

    it.live(`of ${environment} start an oracle that reaches none of them, and unreachable chains are a 503`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { output, url } = yield* startOracleInstance({
          ...valuesOf(namedBy(environment)),
          ...companion,
          ENVIRONMENT: environment,
          ECDSA_PRIVATE_KEY: generatePrivateKey(),
          HTTP_PORT: `${yield* anyFree}`
        })
        const get = (path: string) => Effect.promise(() => fetch(`${url}${path}`).then((response) => response.text()))
        const chains = chainsOf(environment)
        const listed = yield* get("/chains/v1")
        for (const { id, vmType } of chains) assert.include(listed, `"id":"${id}","vmType":"${vmType}"`)
        const ready = yield* get("/ready/v1")
        assert.include(ready, "\"status\":\"not-ready\"")
        for (const { id } of chains) assert.include(ready, `"id":"${id}","observed":true`)
        const asked = (chainId: string, transactionId: string) =>
          Effect.map(
            post(`${url}/attestations/depository-deposits/v1`, { chainId, transactionId }),
            ({ status, text }) => `${status} ${text}`
          )
        const [evm, solana, bitcoin, tron] = ["ethereum-vm", "solana-vm", "bitcoin-vm", "tron-vm"].map((family) =>
          chains.find(({ vmType }) => vmType === family)?.id ?? ""
        )
        assert.match(yield* asked(evm ?? "", `0x${"77".repeat(32)}`), /^503 .*"retryable":true/)
        assert.match(yield* asked(solana ?? "", transaction("solana-vm", 7)), /^503 .*"retryable":true/)
        assert.match(yield* asked(bitcoin ?? "", "77".repeat(32)), /^503 .*"retryable":true/)
        assert.match(yield* asked(tron ?? "", "77".repeat(32)), /^503 .*"retryable":true/)
        assert.notInclude(`${output()}${ready}`, "s3cret")
      })))
  }

  it.effect("price every currency of mainnets.prod by an aggregator and a feed over HTTP, each feed by its currency's symbol", () =>
    Effect.gen(function*() {
      const provider = ConfigProvider.fromEnvRecord(valuesOf(namedBy("mainnets.prod")))
      const { chains, prices } = yield* loadMarket("mainnets.prod", undefined).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, provider)
      )
      const bySymbol = new Map<string, string>()
      for (const currency of chains.flatMap(({ currencies }) => currencies)) {
        const key = priceKey(currency)
        assert.isTrue(prices.feeds.has(key), `${key} has no aggregator`)
        const { id } = prices.pyth.get(key) ?? assert.fail(`${key} has no feed over HTTP`)
        assert.strictEqual(bySymbol.get(currency.symbol) ?? id, id, currency.symbol)
        bySymbol.set(currency.symbol, id)
      }
      assert.strictEqual(new Set(bySymbol.values()).size, bySymbol.size)
    }))

  it.live("start a transfer service that reaches no chain and no prices, once it is told where the prices are", () =>
    Effect.scoped(Effect.gen(function*() {
      const settings = {
        ...valuesOf(namedBy("mainnets.prod")),
        ENVIRONMENT: "mainnets.prod",
        CHAINS: "ethereum,base,arbitrum,bnb,polygon",
        SOLVER_PRIVATE_KEY: generatePrivateKey(),
        DATABASE_URL: `sqlite:${join(yield* temporaryFolder, "store.db")}`,
        TRANSFER_PORT: `${yield* anyFree}`,
        PYTH_API_KEY: "s3cret"
      }
      const lacking = yield* Effect.flip(
        Effect.provideService(readEnvironment, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(settings))
      )
      assert.include(lacking.message, "PYTH_HERMES_URL is not set")
      // Not ready, as no chain answers. A process of its own, because an instance waits until it is.
      const { ended, output, url } = yield* spawnHost("transfer", {
        ...settings,
        PYTH_HERMES_URL: "http://127.0.0.1:9/s3cret"
      })
      const gone = Effect.flatMap(ended, () => Effect.die(new Error(output())))
      yield* Effect.raceFirst(untilAnswers(`${url}/chains`), gone)
      const listed = yield* Effect.promise(() => fetch(`${url}/chains`).then((response) => response.text()))
      assert.include(listed, "\"polygon\"")
      const asked = yield* post(`${url}/price`, {
        user: `0x${"11".repeat(20)}`,
        originChainId: 8453,
        destinationChainId: 42161,
        originCurrency: zeroAddress,
        destinationCurrency: zeroAddress,
        amount: "100000000000000000",
        tradeType: "EXACT_INPUT"
      })
      assert.strictEqual(asked.status, 503, asked.text)
      assert.notInclude(`${output()}${listed}${asked.text}`, "s3cret")
    })))
})
