/** The coins of an address: what the explorer lists counts as the node has it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { layer as layerExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import type { BitcoinExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { BitcoinEndpoints, BitcoinRpc, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { account, startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { BitcoinCoins, layer } from "./ListCoins.ts"

type Local = Effect.Success<typeof startLocalBitcoin>

const onChain =
  (body: (local: Local) => Effect.Effect<void, unknown, BitcoinCoins | BitcoinExplorer | BitcoinRpc>) => () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startLocalBitcoin
      const { bitcoin, explorerUrl, url } = local
      yield* Effect.provide(
        body(local),
        layer.pipe(
          Layer.provideMerge(
            Layer.mergeAll(layerRpc, layerExplorer({ url: Redacted.make(explorerUrl), access: { _tag: "Open" } }))
          ),
          Layer.provide(Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, [url]]]) }))
        )
      )
    }))

describe("the coins of an address", () => {
  it.live(
    "are those in blocks, to the unit; what waits makes none, and spends one only for whoever asks so",
    onChain(Effect.fnUntraced(function*({ bitcoin, coin, mine, other, send, user }) {
      const coins = yield* BitcoinCoins
      const own = account(user.address)
      assert.deepStrictEqual(yield* coins.list(bitcoin, own, "mempool"), [])
      const [one, two] = [yield* coin(user), yield* coin(user)]
      const ids = (spentBy: "blocks" | "mempool") =>
        Effect.map(
          coins.list(bitcoin, own, spentBy),
          (listed) => listed.map(({ amount, index, transactionId }) => `${transactionId}:${index} ${amount}`).toSorted()
        )
      const named = ({ id, index, value }: typeof one) => `${id}:${index} ${value}`
      assert.deepStrictEqual(yield* ids("blocks"), [named(one), named(two)].toSorted())
      yield* send([one], [{ script: other.script, amount: 1_000n }])
      assert.deepStrictEqual(yield* ids("mempool"), [named(two)])
      // The explorer lists no coin that waits to be spent. The node still has it.
      const checked = yield* coins.check(bitcoin, own, [{ transactionId: one.id, index: one.index }], "blocks")
      assert.lengthOf(checked, 1)
      yield* mine()
      assert.lengthOf(yield* coins.check(bitcoin, own, [{ transactionId: one.id, index: one.index }], "blocks"), 0)
      assert.lengthOf(yield* ids("blocks"), 2)
    }))
  )

  it.live(
    "of somebody else, of no transaction, or an immature reward are none, whatever the explorer says",
    onChain(Effect.fnUntraced(function*({ bitcoin, chain, coin, other, setExplorerFault, user }) {
      const coins = yield* BitcoinCoins
      const theirs = yield* coin(other)
      const own = account(user.address)
      assert.lengthOf(
        yield* coins.check(bitcoin, own, [{ transactionId: theirs.id, index: theirs.index }], "mempool"),
        0
      )
      assert.lengthOf(yield* coins.check(bitcoin, own, [{ transactionId: "ab".repeat(32), index: 0 }], "mempool"), 0)
      const reward = chain.ledger.tip.ids[0] ?? assert.fail("an empty block")
      const faucet = account(chain.faucet.address)
      assert.lengthOf(yield* coins.check(bitcoin, faucet, [{ transactionId: reward, index: 0 }], "blocks"), 0)
      const old = chain.ledger.blocks[50]?.ids[0] ?? assert.fail("no old block")
      const [mature] = yield* coins.check(bitcoin, faucet, [{ transactionId: old, index: 0 }], "blocks")
      assert.isDefined(mature)
      yield* setExplorerFault({ kind: "status", status: 503 })
      const refused = yield* Effect.flip(coins.list(bitcoin, own, "mempool"))
      assert.strictEqual(refused._tag, "ChainUnavailable")
    }))
  )

  it.live(
    "made by one transaction are read from it once, however many there are",
    onChain(Effect.fnUntraced(function*({ bitcoin, coin, mine, other, send, user }) {
      const amounts = Array.from({ length: 20 }, (_, at) => 1_000n + BigInt(at))
      yield* send([yield* coin(user)], amounts.map((amount) => ({ script: other.script, amount })))
      yield* mine()
      const coins = yield* BitcoinCoins
      const listed = yield* coins.list(bitcoin, account(other.address), "blocks")
      assert.deepStrictEqual(listed.map(({ amount }) => amount), amounts.toReversed())
      assert.strictEqual(new Set(listed.map(({ source }) => source)).size, 1)
    }))
  )

  it.live(
    "made by many transactions, each of which may have a megabyte, are read from few of them at once, and once",
    onChain(Effect.fnUntraced(function*({ bitcoin, coin, mine, other, send, user }) {
      for (let made = 0; made < 20; made += 1) {
        yield* send([yield* coin(user)], [{ script: other.script, amount: 1_000n + BigInt(made) }])
      }
      yield* mine()
      const rpc = yield* BitcoinRpc
      const asked: Array<number> = []
      const counted: typeof rpc.call = (chain, what, read) =>
        rpc.call(chain, what, (client, step) =>
          read({
            read: (body) =>
              client.read((core, deadline) =>
                body({
                  ...core,
                  answers: (several, milliseconds) => {
                    const transactions = several.filter(({ method }) => method === "getrawtransaction")
                    if (transactions.length > 0) asked.push(transactions.length)
                    return core.answers(several, milliseconds)
                  }
                }, deadline)
              )
          }, step))
      const listed = Effect.gen(function*() {
        const coins = yield* BitcoinCoins
        return [
          yield* coins.list(bitcoin, account(other.address), "blocks"),
          yield* coins.list(bitcoin, account(other.address), "blocks")
        ]
      }).pipe(
        Effect.provide(Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(BitcoinRpc, { ...rpc, call: counted }))))
      )
      const [first, second] = yield* listed
      assert.lengthOf(first ?? [], 20)
      assert.deepStrictEqual(second, first)
      assert.deepStrictEqual(asked, [8, 8, 4])
    }))
  )
})
