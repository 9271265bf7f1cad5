import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readFileSync } from "node:fs"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { networkOf } from "../../src/domain/configuration/Network.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { Bps } from "../../src/domain/money/Bps.ts"
import { families } from "../families.ts"
import { chainOf as chainIn, endpointsOf } from "./entries/ChainFromEntry.ts"
import { configuredPrices } from "./entries/ConfiguredPrices.ts"
import { ChainEntry } from "./entries/ChainsFile.ts"
import { faultOf } from "./JsonFault.ts"
import { decodeEntries, select } from "./entries/ReadEntries.ts"
import { oneFactory } from "./entries/OneFactory.ts"

const file = new URL("../../configs/chains.local.json", import.meta.url)
const local = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(ChainEntry)))(readFileSync(file, "utf8"))
const [alpha, , solana] = local

const withChanges = (changes: Partial<ChainEntry>): ChainEntry => {
  if (alpha === undefined) throw new Error("configs/chains.local.json is empty")
  return { ...alpha, httpRpcUrl: "http://127.0.0.1:1", ...changes }
}

const chainOf = (entry: ChainEntry) => chainIn(entry, families)

const problemOf = (result: Result.Result<unknown, { readonly message: string }>): string =>
  Result.isFailure(result) ? result.failure.message : "accepted"

describe("a file of the configuration", () => {
  it("that is not JSON is reported by line and column, without its contents", () => {
    assert.strictEqual(faultOf("[\n  { \"id\": \"alpha\" }\n  { \"id\": \"beta\" }\n]"), "line 3, column 3")
    assert.strictEqual(faultOf("[\n  { \"id\": secret }\n]"), "line 2, column 11")
    assert.strictEqual(faultOf("[\n  { \"id\": \"alpha\""), "line 2, column 18")
    assert.strictEqual(faultOf("[\"alpha\",\n tru"), "line 2, column 5")
    assert.strictEqual(faultOf("[]\nx"), "line 2, column 1")
    assert.strictEqual(faultOf(""), "line 1, column 1")
  })

  it("defines the chains that CHAINS may name", () => {
    const listed = [{ id: "alpha" }, { id: "beta" }]
    assert.strictEqual(
      problemOf(select(listed, ["alpha", "gama", ""])),
      "CHAINS names chains that are not configured: gama, an empty id; there are alpha, beta"
    )
    assert.strictEqual(problemOf(select(listed, ["beta"])), "accepted")
  })
})

describe("a configured chain", () => {
  it("is accepted as shipped", () => {
    assert.isTrue(Result.isSuccess(chainOf(withChanges({}))))
    assert.isTrue(Result.isSuccess(endpointsOf(withChanges({}))))
  })

  it("has ascending confirmations: a larger deposit never needs fewer blocks", () => {
    const steps = (...confirmations: ReadonlyArray<{ readonly upToUsd: string; readonly blocks: number }>) =>
      problemOf(chainOf(withChanges({ confirmations })))
    assert.strictEqual(steps({ upToUsd: "10", blocks: 1 }, { upToUsd: "100", blocks: 3 }), "accepted")
    assert.include(steps({ upToUsd: "100", blocks: 3 }, { upToUsd: "10", blocks: 1 }), "ascend")
    assert.include(steps({ upToUsd: "10", blocks: 3 }, { upToUsd: "100", blocks: 1 }), "ascend")
    assert.include(steps({ upToUsd: "0.1234567890123456789", blocks: 3 }), "not an amount in dollars")
  })

  it("has a native currency, a price for each currency, and none twice", () => {
    const { currencies = [] } = withChanges({})
    const [native, ...tokens] = currencies
    assert.include(problemOf(chainOf(withChanges({ currencies: tokens }))), "native")
    assert.include(problemOf(chainOf(withChanges({ currencies: [...currencies, ...currencies] }))), "twice")
    const priceless = currencies.map(({ price: _, ...currency }) => currency)
    const chain = Result.getOrThrow(chainOf(withChanges({ currencies: priceless })))
    assert.include(problemOf(configuredPrices([chain], [withChanges({ currencies: priceless })], families)), "no price")
    if (native !== undefined) {
      assert.include(problemOf(chainOf(withChanges({ currencies: [{ ...native, address: "0x12" }] }))), "ETH")
    }
  })

  it("may have a price over HTTP alone, by a feed's id, with bounds of its own or the usual ones", () => {
    const [native, ...others] = withChanges({}).currencies ?? []
    if (native === undefined) throw new Error("configs/chains.local.json has no currency")
    const priced = (pyth: object) => {
      const entry = { ...withChanges({}), currencies: [{ ...native, price: { pyth } }, ...others] }
      return Result.flatMap(decodeEntries([entry]), (entries) => {
        const chain = Result.getOrThrow(chainOf(withChanges({})))
        return Result.map(configuredPrices([chain], entries, families), ({ pyth }) => [...pyth.values()])
      })
    }
    const [id, lower] = [`0x${"aB".repeat(32)}`, Hex32.make(`0x${"ab".repeat(32)}`)]
    assert.deepStrictEqual(Result.getOrThrow(priced({ id })), [
      { id: lower, maxAgeSeconds: 60, maxConfidence: Bps(50n) }
    ])
    assert.deepStrictEqual(Result.getOrThrow(priced({ id, maxAgeSeconds: 5, maxConfidenceBps: 20 })), [
      { id: lower, maxAgeSeconds: 5, maxConfidence: Bps(20n) }
    ])
    for (const wrong of [{}, { id: "ETH" }, { id: id.slice(2) }, { id, maxConfidenceBps: 0 }, { id, feed: "0x" }]) {
      assert.include(problemOf(priced(wrong)), "0.currencies.0.price.pyth", JSON.stringify(wrong))
    }
  })

  it("of Solana has its cluster's genesis, and is read at commitment finalized only", () => {
    const asked = (changes: Partial<ChainEntry>, genesisHash: string = solana?.depository ?? "") => {
      if (solana === undefined) throw new Error("configs/chains.local.json has no Solana chain")
      const { genesisHash: _, ...additionalData } = solana.additionalData ?? {}
      return problemOf(
        chainOf({
          ...solana,
          httpRpcUrl: "http://127.0.0.1:1",
          additionalData: genesisHash === "" ? additionalData : { ...additionalData, genesisHash },
          ...changes
        })
      )
    }
    assert.strictEqual(asked({}), "accepted")
    assert.include(asked({}, ""), "genesisHash")
    assert.include(asked({}, "EtWTRABZaYq6iMfeYKouRu"), "genesisHash")
    assert.include(asked({ finality: { tag: "safe" } }), "finalized")
    assert.include(asked({ finality: { blocks: 32 } }), "finalized")
    assert.include(
      problemOf(chainOf(withChanges({ additionalData: { genesisHash: solana?.depository ?? "" } }))),
      "genesisHash"
    )
  })
  it("of Tron is final when it is solidified unless configured otherwise, and may name its first block", () => {
    const tron = (additionalData: { readonly genesisHash?: string }) => {
      const entry = local.find(({ id }) => id === "tron-local")
      if (entry === undefined) throw new Error("configs/chains.local.json has no Tron chain")
      const { finality: _, ...unsaid } = entry
      return chainOf({ ...unsaid, httpRpcUrl: "http://127.0.0.1:1", additionalData })
    }
    assert.deepStrictEqual(Result.getOrThrow(tron({})).finality, { _tag: "Tag", tag: "finalized", seconds: 60 })
    assert.strictEqual(Result.getOrThrow(tron({ genesisHash: "0a".repeat(32) })).genesisHash, "0a".repeat(32))
    for (const genesisHash of ["0A".repeat(32), `0x${"0a".repeat(32)}`, ""]) {
      assert.include(problemOf(tron({ genesisHash })), "genesisHash")
    }
  })

  it("has a depository, and addresses of its family", () => {
    const { depository: _, ...without } = withChanges({})
    assert.include(problemOf(chainOf(without)), "no depository")
    assert.include(problemOf(chainOf(withChanges({ router: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" }))), "router")
  })

  it("has a factory of deposit addresses or none: on EVM chains only, and the same one for all of them", () => {
    const factory = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    const another = `0x${"ab".repeat(20)}`
    const chainWith = (id: string, depositAddresses: ChainEntry["depositAddresses"]) => {
      const { depositAddresses: _, ...without } = withChanges({ id: ChainSlug.make(id) })
      return chainOf(depositAddresses === undefined ? without : { ...without, depositAddresses })
    }
    const decode = Schema.decodeUnknownResult(ChainEntry, { onExcessProperty: "error" })
    for (const depositAddresses of [{}, { factory: "" }, { factory, depository: factory }, factory]) {
      assert.isTrue(
        Result.isFailure(decode({ ...withChanges({}), depositAddresses })),
        JSON.stringify(depositAddresses)
      )
    }
    const spelled = Result.getOrThrow(chainWith("alpha", { factory }))
    const lower = Result.getOrThrow(chainWith("beta", { factory: factory.toLowerCase() }))
    const none = Result.getOrThrow(chainWith("gamma", undefined))
    const other = Result.getOrThrow(chainWith("delta", { factory: another }))
    assert.strictEqual<string | undefined>(spelled.depositAddresses?.factory, factory.toLowerCase())
    assert.isFalse("depositAddresses" in none)
    assert.include(
      problemOf(chainWith("alpha", { factory: factory.replace("aA", "Aa") })),
      "depositAddresses.factory: wrong EIP-55"
    )
    assert.include(
      problemOf(chainOf({ ...withChanges({}), vmType: "tron-vm", depositAddresses: { factory } })),
      "only EVM chains"
    )
    for (const chains of [[], [none], [spelled, none, lower], [none, other]]) {
      assert.strictEqual(problemOf(oneFactory(chains)), "accepted")
    }
    assert.match(problemOf(oneFactory([none, spelled, lower, other])), /same on every chain: delta and alpha differ/)
  })

  it("may say how it charges for data on L1, on EVM chains only", () => {
    for (const l1DataFee of ["arbitrum", "op-stack"] as const) {
      const additionalData = { ...withChanges({}).additionalData, l1DataFee }
      assert.strictEqual(Result.getOrThrow(chainOf(withChanges({ additionalData }))).l1DataFee, l1DataFee)
      assert.include(
        problemOf(chainOf({ ...withChanges({ additionalData }), vmType: "tron-vm" })),
        "l1DataFee: only EVM chains"
      )
    }
    assert.notProperty(Result.getOrThrow(chainOf(withChanges({}))), "l1DataFee")
    const decode = Schema.decodeUnknownResult(ChainEntry, { onExcessProperty: "error" })
    for (const l1DataFee of ["", "optimism", true]) {
      assert.isTrue(Result.isFailure(decode({ ...withChanges({}), additionalData: { l1DataFee } })), `${l1DataFee}`)
    }
  })

  it("may name a block that tells it from a chain with the same first block, on Bitcoin only", () => {
    const checkpoint = { height: 965_700, hash: "0a".repeat(32) }
    const additionalData = { ...withChanges({}).additionalData, checkpoint }
    assert.include(problemOf(chainOf(withChanges({ additionalData }))), "checkpoint: only chains of Bitcoin have one")
    const bitcoin = local.find(({ vmType }) => vmType === "bitcoin-vm")
    if (bitcoin === undefined) return assert.fail("configs/chains.local.json has no Bitcoin chain")
    assert.notProperty(Result.getOrThrow(chainOf(bitcoin)), "checkpoint")
    const named = Result.getOrThrow(
      chainOf({ ...bitcoin, additionalData: { ...bitcoin.additionalData, checkpoint } })
    )
    assert.deepStrictEqual(named.checkpoint, checkpoint)
    assert.deepStrictEqual(networkOf(named).map(({ configured, entry }) => [entry, configured]), [
      ["checkpoint.hash", checkpoint.hash]
    ])
    const decode = Schema.decodeUnknownResult(ChainEntry, { onExcessProperty: "error" })
    for (
      const wrong of [{ height: 0 }, { height: -1 }, { height: 1.5 }, { hash: "0A".repeat(32) }, { hash: "0a" }, {
        x: 1
      }]
    ) {
      const entry = { ...withChanges({}), additionalData: { checkpoint: { ...checkpoint, ...wrong } } }
      assert.isTrue(Result.isFailure(decode(entry)), JSON.stringify(wrong))
    }
  })

  it("has endpoints that are URLs, as many as its quorum needs, and never shows one", () => {
    const endpoints = (httpRpcUrl: string | ReadonlyArray<string>, rpcQuorum = 1) =>
      problemOf(endpointsOf(withChanges({ httpRpcUrl, rpcQuorum })))
    assert.strictEqual(endpoints("http://a.example/s3cret, https://b.example", 2), "accepted")
    for (
      const [urls, quorum] of [["ftp://a.example/s3cret", 1], ["s3cret", 1], ["http://a/s3cret,http://a/s3cret", 2], [
        "https://a.example/$S3CRET_KEY",
        1
      ]] as const
    ) {
      const said = endpoints(urls, quorum)
      assert.notStrictEqual(said, "accepted")
      assert.notInclude(said.toLowerCase(), "s3cret")
    }
  })
})
