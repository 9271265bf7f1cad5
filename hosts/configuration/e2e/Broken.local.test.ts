/**
 * Broken configurations against a real chain with the contracts of this tree. Each is refused before anything is
 * quoted. The refusal names the entry, the configured value, and what the chain has.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { observedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { hubContracts } from "../../../src/domain/families/ethereum/EvmExpectations.ts"
import { expectationsOf } from "../../../src/domain/configuration/Expectations.ts"
import type { CheckedEntry } from "../../../src/domain/configuration/Standing.ts"
import {
  CheckedConfiguration,
  layer as layerChecked,
  refuseUnserving
} from "../../../src/services/operations/CheckedConfiguration.ts"
import { fixtureOf } from "../../../scripts/testing/FixtureOf.ts"
import { lyingNode } from "../../transfer/testing/LyingNode.ts"
import { startChains } from "../../transfer/testing/TestChains.ts"
import { chainOf } from "../entries/ChainFromEntry.ts"
import { ChainEntry } from "../entries/ChainsFile.ts"
import { families } from "../../families.ts"
import { layerChainFacts } from "../testing/Facts.ts"
import { configuredPrices, priceKey } from "../entries/ConfiguredPrices.ts"

const file = new URL("../../../configs/chains.local.json", import.meta.url)
const [alpha] = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(ChainEntry)))(readFileSync(file, "utf8"))
if (alpha === undefined) throw new Error("configs/chains.local.json is empty")

class Network extends fixtureOf<Network>()("test/Network", startChains) {}

const NOWHERE = "0x00000000000000000000000000000000000dead1"
const DELEGATING = "0x00000000000000000000000000000000000dead2"
const TWIN = "0x00000000000000000000000000000000000dead3"

interface Own {
  readonly solver: string
  readonly operator: string
}

type Broken = readonly [what: string, change: Partial<ChainEntry>, said: string, own?: Partial<Own>]

const { currencies = [], depositAddresses, depository = "", permits, router = "", swaps } = alpha
const vault = alpha.additionalData?.vault ?? ""
const factory = depositAddresses !== undefined && "factory" in depositAddresses ? depositAddresses.factory : ""
const currency = (symbol: string, change: Partial<(typeof currencies)[number]>): Partial<ChainEntry> => ({
  currencies: currencies.map((each) => each.symbol === symbol ? { ...each, ...change } : each)
})
const swap = (change: Partial<NonNullable<typeof swaps>>): Partial<ChainEntry> =>
  swaps === undefined ? {} : { swaps: { ...swaps, ...change } }
const source = (id: string, change: { readonly router?: string; readonly quoter?: string }): Partial<ChainEntry> =>
  swap({ sources: (swaps?.sources ?? []).map((each) => each.id === id ? { ...each, ...change } : each) })
const feed = (address: string): Partial<ChainEntry> =>
  currency("USDC", { price: { chainlink: { feed: address, heartbeatSeconds: 3600 } } })
const forwarder = permits?.forwarder ?? ""
const depositor = swaps?.depositor ?? ""
const usdc = currencies.find(({ symbol }) => symbol === "USDC")?.address ?? ""
const dai = currencies.find(({ symbol }) => symbol === "DAI")?.address ?? ""
const withVault = (address: string): Partial<ChainEntry> => ({
  additionalData: { ...alpha.additionalData, vault: address }
})

const broken: ReadonlyArray<Broken> = [
  ["another chain's number", { chainId: ChainId.make(616_199) }, "chainId: configured 616199, found 616101"],
  ["a depository without code", { depository: NOWHERE }, `depository (${NOWHERE}): configured code, found no code`],
  [
    "a depository that is a token",
    { depository: usdc },
    `depository.callRequests (${usdc}): configured false, found no answer`
  ],
  [
    "a depository that is an account with a delegation",
    { depository: DELEGATING },
    `depository (${DELEGATING}): configured code, found an account that delegates to code`
  ],
  [
    "a depository that the factory knows nothing of",
    { depository: TWIN },
    `depositAddresses.factory.depository (${factory}): configured ${TWIN}, found ${depository}`
  ],
  ["a router without code", { router: NOWHERE }, `router (${NOWHERE}): configured code, found no code`],
  [
    "a router that is the depository",
    { router: depository },
    `router.VAULT (${depository}): configured ${vault}, found no answer`
  ],
  ["a vault without code", withVault(NOWHERE), `router.VAULT (${router}): configured ${NOWHERE}, found ${vault}`],
  ["a vault that is the router", withVault(router), `router.VAULT (${router}): configured ${router}, found ${vault}`],
  ["a vault of another solver", {}, `vault.isOperator (${vault}): configured true, found false`, { solver: NOWHERE }],
  [
    "a factory without code",
    { depositAddresses: { factory: NOWHERE } },
    `depositAddresses.factory (${NOWHERE}): configured code, found no code`
  ],
  [
    "a factory that is the vault",
    { depositAddresses: { factory: vault } },
    `depositAddresses.factory.depository (${vault}): configured ${depository}, found no answer`
  ],
  [
    "a factory of another operator",
    {},
    `depositAddresses.factory.isOperator (${factory}): configured true, found false`,
    { operator: NOWHERE }
  ],
  [
    "a forwarder without code",
    { permits: { forwarder: NOWHERE } },
    `permits.forwarder (${NOWHERE}): configured code, found no code`
  ],
  [
    "a forwarder that is the swap depositor",
    { permits: { ...permits, forwarder: depositor } },
    `permits.forwarder.PERMIT2 (${depositor}): configured ${permits?.permit2 ?? ""}, found no answer`
  ],
  [
    "another Permit2",
    { permits: { forwarder, permit2: usdc } },
    `permits.forwarder.PERMIT2 (${forwarder}): configured ${usdc}, found ${permits?.permit2 ?? ""}`
  ],
  [
    "a wrapped token without code",
    swap({ wrapped: NOWHERE }),
    `swaps.wrapped (${NOWHERE}): configured code, found no code`
  ],
  ["a wrapped token that the pools do not know", swap({ wrapped: dai }), `.router.WETH9`],
  [
    "a v3 router without code",
    source("uniswap-v3", { router: NOWHERE }),
    `swaps.uniswap-v3.router (${NOWHERE}): configured code, found no code`
  ],
  [
    "a v3 quoter without code",
    source("uniswap-v3", { quoter: NOWHERE }),
    `swaps.uniswap-v3.quoter (${NOWHERE}): configured code, found no code`
  ],
  [
    "a v2 router without code",
    source("uniswap-v2", { router: NOWHERE }),
    `swaps.uniswap-v2.router (${NOWHERE}): configured code, found no code`
  ],
  [
    "a token on the way of a swap without code",
    swap({ through: [NOWHERE] }),
    `swaps.through (${NOWHERE}): configured code, found no code`
  ],
  [
    "a swap depositor without code",
    swap({ depositor: NOWHERE }),
    `swaps.depositor (${NOWHERE}): configured code, found no code`
  ],
  ["a swap depositor that is the forwarder", swap({ depositor: forwarder }), `swaps.depositor.EXECUTOR (${forwarder})`],
  [
    "a handover without code",
    swap({ handover: NOWHERE }),
    `swaps.handover (${NOWHERE}): configured code, found no code`
  ],
  [
    "data on L1 that is charged as on another rollup",
    { additionalData: { ...alpha.additionalData, l1DataFee: "op-stack" } },
    "l1DataFee (0x420000000000000000000000000000000000000f): configured code, found no code"
  ],
  [
    "a token with more decimals",
    currency("USDC", { decimals: 18 }),
    `currencies.USDC.decimals (${usdc}): configured 18, found 6`
  ],
  ["a token with fewer decimals", currency("DAI", { decimals: 6 }), "configured 6, found 18"],
  [
    "a token that is none",
    currency("USDT", { address: NOWHERE }),
    `currencies.USDT.decimals (${NOWHERE}): configured 6, found no token`
  ],
  [
    "a native currency with other decimals than its wrapped token",
    currency("ETH", { decimals: 9 }),
    "swaps.wrapped.decimals"
  ],
  [
    "a swapped token with other decimals",
    swap({ currencies: (swaps?.currencies ?? []).map((each) => ({ ...each, decimals: 8 })) }),
    "currencies.GEM.decimals"
  ],
  [
    "a price feed that is none",
    feed(NOWHERE),
    `currencies.USDC.price.chainlink.decimals (${NOWHERE}): configured at most 36, found no token`
  ]
]

const entryOf = (entry: ChainEntry, own: Own): Result.Result<CheckedEntry, { readonly message: string }> =>
  Result.gen(function*() {
    const chain = yield* chainOf(entry, families)
    const { feeds } = yield* configuredPrices([chain], [entry], families)
    const pricing = [...chain.currencies, ...chain.swaps?.currencies ?? []].flatMap((each) => {
      const feedOf = feeds.get(priceKey(each))
      return feedOf === undefined ? [] : [{ chainId: chain.id, feed: feedOf.address, currency: each }]
    })
    const account = (text: string) => EthereumAddress.make(`0x${text.slice(2).toLowerCase()}`)
    return {
      chain,
      role: "chain",
      expectations: expectationsOf(chain, {
        _tag: "Trade",
        accounts: { solver: account(own.solver), operator: account(own.operator) },
        feeds: pricing
      })
    }
  })

/** The answer to a quote that uses everything of the chain. "served" when nothing is wrong. */
const told = Effect.fnUntraced(function*(entry: CheckedEntry, ...urls: ReadonlyArray<string>) {
  const { chain } = entry
  const endpoints = {
    ...Result.getOrThrow(observedEndpoints(urls.map((url) => Redacted.make(url)))),
    decides: "quorum"
  } as const
  const used = [{
    chainId: chain.id,
    currencies: [...chain.currencies, ...chain.swaps?.currencies ?? []].map(({ address }) => address)
  }]
  return yield* Effect.gen(function*() {
    const served = yield* Effect.result(refuseUnserving(yield* CheckedConfiguration, used))
    return Result.isSuccess(served) ? "served" : `${served.failure._tag}: ${served.failure.message}`
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        layerChecked([entry]).pipe(Layer.provide(layerChainFacts([{ chain, endpoints }]))),
        Logger.layer([])
      )
    ),
    Effect.scoped
  )
})

layer(Network.layer, { excludeTestServices: true })("a broken configuration", (it) => {
  it.effect("is refused by the name of each of more than twenty-five faults, and the correct one is served", () =>
    Effect.gen(function*() {
      const { alpha: node, operator, solver } = yield* Network
      const code = yield* node.request("eth_getCode", [depository, "latest"])
      yield* node.request("anvil_setCode", [TWIN, code])
      yield* node.request("anvil_setCode", [DELEGATING, `0xef0100${depository.slice(2)}`])
      const own = { solver, operator }
      assert.strictEqual(
        yield* told(Result.getOrThrow(entryOf({ ...alpha, httpRpcUrl: node.url }, own)), node.url),
        "served"
      )
      assert.isAtLeast(broken.length, 25)
      for (const [what, change, said, others] of broken) {
        const answer = yield* told(
          Result.getOrThrow(entryOf({ ...alpha, httpRpcUrl: node.url, ...change }, { ...own, ...others })),
          node.url
        )
        assert.include(answer, "QuoteRefused: out of service", what)
        assert.include(answer, said, what)
      }
      const { chain } = Result.getOrThrow(entryOf({ ...alpha, httpRpcUrl: node.url }, own))
      const gateless: CheckedEntry = { chain, role: "hub", expectations: hubContracts(chain, NOWHERE, depository) }
      assert.include(yield* told(gateless, node.url), `hub.oracleAddress (${NOWHERE}): configured code, found no code`)
      const hubless: CheckedEntry = { chain, role: "hub", expectations: hubContracts(chain, depository, NOWHERE) }
      assert.include(yield* told(hubless, node.url), `hub.hubAddress (${NOWHERE}): configured code, found no code`)
    }))

  it.effect("is not accepted when two endpoints disagree on a token's decimals or a contract's code, and the refusal names which", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alpha: node, operator, solver } = yield* Network
      const liar = yield* lyingNode(node.url)
      const entry = Result.getOrThrow(entryOf({ ...alpha, httpRpcUrl: node.url }, { solver, operator }))
      const askedOf = (params: ReadonlyArray<unknown> | undefined) => JSON.stringify(params ?? []).toLowerCase()
      assert.strictEqual(yield* told(entry, node.url, liar.url), "served")
      // A token of 18 decimals, where the other endpoint has a token of six; and a depository without code.
      liar.lie(async ({ method, params }, truth) =>
        method === "eth_call" && askedOf(params).includes(`"to":"${usdc}"`) && askedOf(params).includes("0x313ce567")
          ? { result: `0x${"12".padStart(64, "0")}` }
          : truth()
      )
      for (const urls of [[node.url, liar.url], [liar.url, node.url]]) {
        assert.include(
          yield* told(entry, ...urls),
          `ChainUnavailable: alpha has endpoints that disagree (comparing the configuration: decimals of ${usdc})`
        )
      }
      liar.lie(async ({ method, params }, truth) =>
        method === "eth_getCode" && askedOf(params).includes(depository) ? { result: "0x" } : truth()
      )
      assert.include(
        yield* told(entry, node.url, liar.url),
        `disagree (comparing the configuration: code of ${depository})`
      )
      liar.tellTheTruth()
      assert.strictEqual(yield* told(entry, node.url, liar.url), "served")
    })))

  it.effect("is not concluded from an endpoint that does not answer: it could not be compared", () =>
    Effect.gen(function*() {
      const { operator, solver } = yield* Network
      const entry = Result.getOrThrow(entryOf({ ...alpha, httpRpcUrl: "http://127.0.0.1:1" }, { solver, operator }))
      assert.include(yield* told(entry, "http://127.0.0.1:1"), "ChainUnavailable")
    }))
})
