/** The fee rate of a local Bitcoin chain (BITCOIN-7), as node and explorer tell it, and as they fail to. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { layer as layerExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { BitcoinEndpoints, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { BitcoinRates } from "./BitcoinRates.ts"
import { layer } from "./Rates.ts"

const startedWith = Effect.fnUntraced(function*(keptFor: Duration.Duration) {
  const local = yield* startLocalBitcoin
  const { bitcoin, explorerUrl, setExplorerFault, setFault, url } = local
  const context = yield* Layer.build(
    layer({ targetBlocks: 3, agreeWithin: 4n, ceiling: FeeRate(50_000n), keptFor }).pipe(
      Layer.provide([layerRpc, layerExplorer({ url: Redacted.make(explorerUrl), access: { _tag: "Open" } })]),
      Layer.provide(
        Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, [url]]]) })
      )
    )
  )
  const rate = Effect.flatMap(BitcoinRates, (rates) => rates.rate(bitcoin)).pipe(Effect.provideContext(context))
  return {
    rate,
    /** The node's answer to `estimatesmartfee`, in BTC for a thousand virtual bytes; none when undefined. */
    node: (feerate: number | undefined) =>
      setFault({
        kind: "lie",
        methods: ["estimatesmartfee"],
        tell: () =>
          feerate === undefined
            ? { errors: ["Insufficient data or no feerate found"], blocks: 3 }
            : { feerate, blocks: 3 }
      }),
    floor: (mempoolminfee: number) =>
      setFault({ kind: "lie", methods: ["getmempoolinfo"], tell: () => ({ mempoolminfee }) }),
    /** The explorer's, in satoshi a virtual byte by blocks. */
    explorer: (estimates: Readonly<Record<string, number>>) =>
      setExplorerFault({ kind: "lie", methods: ["/fee-estimates"], tell: () => estimates }),
    dead: setExplorerFault({ kind: "status", status: 503 }),
    setFault
  }
})
const started = startedWith(Duration.zero)

describe("the fee rate of a Bitcoin chain", () => {
  it.live("is the node's, the explorer's where the node has none, and never below what the node keeps", () =>
    Effect.scoped(Effect.gen(function*() {
      const { dead, explorer, floor, node, rate } = yield* started
      // 0.00002 BTC for a thousand bytes, and 2 satoshi for one of them.
      assert.strictEqual(yield* rate, 2_000n)
      yield* node(0.00004321)
      assert.strictEqual(yield* rate, 4_321n)
      yield* node(undefined)
      // The nearest number of blocks that is not above the wanted three.
      yield* explorer({ "1": 9.5, "2": 7.333, "6": 1, "144": 0.5 })
      assert.strictEqual(yield* rate, 7_333n)
      yield* floor(0.00007)
      yield* explorer({ "2": 3 })
      assert.strictEqual(yield* rate, 7_000n)
      yield* dead
      yield* node(0.00005)
      assert.strictEqual(yield* rate, 5_000n)
    })))

  it.live("is none where nobody knows one, where the two do not agree, and above the ceiling", () =>
    Effect.scoped(Effect.gen(function*() {
      const { dead, explorer, node, rate } = yield* started
      const refusal = Effect.map(Effect.flip(rate), ({ kind, operation }) => `${kind} ${operation}`)
      yield* node(0.0001)
      yield* explorer({ "1": 2.5 })
      assert.strictEqual(yield* rate, 10_000n)
      yield* node(0.0004)
      yield* explorer({ "1": 2.4 })
      assert.strictEqual(yield* refusal, "divided fee rate")
      yield* dead
      yield* node(0.0005)
      assert.strictEqual(yield* rate, 50_000n)
      yield* node(0.00050001)
      assert.include(yield* refusal, "above the configured ceiling")
      yield* node(undefined)
      assert.strictEqual(yield* refusal, "refused fee rate")
      // No rate, but an answer that makes no sense.
      for (const wrong of [-1, 2, Number.NaN]) {
        yield* node(wrong)
        assert.strictEqual(yield* refusal, "refused fee rate")
      }
    })))

  it.live("goes on while a node's mempool has cleared, and the explorer's estimate is still of the hours before (BITCOIN-24)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { explorer, node, rate } = yield* started
      yield* node(0.00002)
      yield* explorer({ "3": 12 })
      assert.strictEqual(yield* rate, 8_000n)
    })))

  it.live("is asked once by all who want it, and kept; a failure is not", () =>
    Effect.scoped(Effect.gen(function*() {
      const { rate, setFault } = yield* startedWith(Duration.hours(1))
      let asked = 0
      const answer = (feerate: number) =>
        setFault({
          kind: "lie",
          methods: ["estimatesmartfee"],
          tell: () => {
            asked += 1
            return { feerate }
          }
        })
      yield* answer(-1)
      assert.strictEqual((yield* Effect.flip(rate))._tag, "ChainUnavailable")
      const failures = asked
      yield* answer(0.00003)
      const all = yield* Effect.all(Array.from({ length: 20 }, () => rate), { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(all)], [3_000n])
      yield* answer(0.00004)
      assert.strictEqual(yield* rate, 3_000n)
      assert.strictEqual(asked - failures, 1)
    })))
})
