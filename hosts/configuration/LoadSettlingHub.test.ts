import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { alpha, evmAddress } from "../../src/domain/quote/testing/Chains.ts"
import type { ConfiguredHub } from "./LoadHubs.ts"
import { settlingHubs } from "./LoadSettlingHub.ts"

const hub = (name: string, id: number, changes: Partial<ConfiguredHub> = {}): ConfiguredHub => ({
  slug: ChainSlug.make(name),
  id: ChainId.make(id),
  finality: { _tag: "Tag", tag: "finalized", seconds: 1 },
  contract: evmAddress("60"),
  domain: { name: "RelayOracle", version: "1", chainId: BigInt(id), verifyingContract: evmAddress("61") },
  gate: evmAddress("61"),
  form: { _tag: "OracleGate" },
  allocator: undefined,
  urls: [Redacted.make("http://127.0.0.1:1"), Redacted.make("http://127.0.0.1:2")],
  rpcQuorum: undefined,
  isRetired: false,
  blockTimeMs: 1_000,
  native: { symbol: "ETH", decimals: 18, lowWater: undefined },
  ...changes
})

const told = (...all: ReadonlyArray<ConfiguredHub>) =>
  Result.match(settlingHubs(all, [alpha]), {
    onSuccess: ({ followed, hub: { chain } }) => `${chain.slug}; ${followed.map((each) => each.chain.slug).join(", ")}`,
    onFailure: ({ message }) => message
  })

describe("the hubs of a transfer service", () => {
  it("are one to settle on, and retired ones that are tracked", () => {
    const old = hub("old", 8, { isRetired: true })
    assert.strictEqual(told(hub("new", 7)), "new; ")
    assert.strictEqual(told(old, hub("new", 7), hub("older", 9, { isRetired: true })), "new; old, older")
    for (const wrong of [[], [old], [hub("one", 7), hub("two", 8)]]) {
      assert.include(told(...wrong), "exactly one that is not retired")
    }
  })

  it("have a quorum that their endpoints can reach, and unique names", () => {
    assert.strictEqual(Result.getOrThrow(settlingHubs([hub("new", 7, { rpcQuorum: 2 })], [alpha])).hub.rpcQuorum, 2)
    assert.include(told(hub("new", 7, { rpcQuorum: 3 })), "hub new: a quorum of 3 among 2 is impossible")
    // Two addresses of one host count as one vote.
    assert.include(
      told(
        hub("new", 7, {
          rpcQuorum: 2,
          urls: [Redacted.make("https://a.example/1"), Redacted.make("https://a.example/2")]
        })
      ),
      "among 1 is impossible"
    )
    assert.include(told(hub("new", 7), hub("old", 8, { isRetired: true, rpcQuorum: 3 })), "hub old")
    assert.include(told(hub("alpha", 7)), "another chainId")
    assert.strictEqual(told(hub("alpha", Number(alpha.id))), "alpha; ")
  })

  it("charge for data on L1 as their own entry says, or that of the served chain", () => {
    const feeOf = (inFile: ConfiguredHub, served = alpha) =>
      Result.getOrThrow(settlingHubs([inFile], [served])).hub.chain.l1DataFee
    assert.strictEqual(feeOf(hub("new", 7, { l1DataFee: "op-stack" })), "op-stack")
    assert.isUndefined(feeOf(hub("new", 7)))
    assert.strictEqual(feeOf(hub("alpha", Number(alpha.id)), { ...alpha, l1DataFee: "arbitrum" }), "arbitrum")
  })
})
