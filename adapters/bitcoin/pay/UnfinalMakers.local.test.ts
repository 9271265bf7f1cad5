/** What made coins in blocks that are not final, whoever sent them, and however much that needed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BitcoinKey } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { signed } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import type { Spent } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import { BitcoinEndpoints, BitcoinRpc, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { makeUnfinalMakers } from "./UnfinalMakers.ts"

type Local = Effect.Success<typeof startLocalBitcoin>

const onChain = (body: (local: Local) => Effect.Effect<void, unknown, BitcoinRpc>) => () =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startLocalBitcoin
    yield* Effect.provide(
      body(local),
      Layer.provide(
        layerRpc,
        Layer.succeed(BitcoinEndpoints, { urls: new Map([[local.bitcoin.id, [local.url]]]) })
      )
    )
  }))

/** Satoshi that each transaction leaves as its fee. */
const FEE = 20_000n

/** One transaction that spends these coins, and pays a key so many equal coins. */
const pay = ({ chain }: Local, inputs: ReadonlyArray<Spent>, to: BitcoinKey, coins = 1) =>
  Effect.promise(async () => {
    const amount = (inputs.reduce((sum, { value }) => sum + value, 0n) - FEE) / BigInt(coins)
    const transaction = signed({
      inputs,
      outputs: Array.from({ length: coins }, () => ({ script: to.script, amount }))
    })
    const bytes = transaction.toBuffer()
    const id = await chain.submit(bytes)
    const paid = Array.from({ length: coins }, (_, index): Spent => ({ id, index, value: amount, key: to }))
    return { id, source: new Uint8Array(bytes), coins: paid }
  })

type Paid = Effect.Success<ReturnType<typeof pay>>

/** As the account lists it, in the newest block. */
const listed = ({ coins: [coin], id, source }: Paid) => ({
  transactionId: id,
  index: 0,
  amount: coin?.value ?? 0n,
  confirmations: 1,
  source
})

/** The same nodes, and how many transactions they were asked for. */
const counting = (rpc: BitcoinRpc["Service"]) => {
  let asked = 0
  const call: typeof rpc.call = (chain, what, read) =>
    rpc.call(chain, what, (client, step) =>
      read({
        read: (body) =>
          client.read((core, deadline) =>
            body({
              ...core,
              answers: (calls, milliseconds) => {
                asked += calls.filter(({ method }) => method === "getrawtransaction").length
                return core.answers(calls, milliseconds)
              }
            }, deadline)
          )
      }, step))
  return { rpc: { ...rpc, call }, asked: () => asked }
}

describe("what made unfinal coins", () => {
  it.live(
    "counts with up to a hundred inputs, with what these need; what spends more is left out",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, coin, mine, other, user } = local
      const fan = yield* pay(local, [yield* coin(other)], other, 201)
      const [usual, large] = [
        yield* pay(local, fan.coins.slice(0, 100), user),
        yield* pay(local, fan.coins.slice(100), user)
      ]
      yield* mine()
      const { of } = makeUnfinalMakers(yield* BitcoinRpc)
      const makers = yield* of(bitcoin, [listed(usual), listed(large)])
      assert.lengthOf(makers.get(usual.id)?.inputs ?? [], 100)
      assert.isTrue(makers.has(fan.id))
      assert.isFalse(makers.has(large.id))
      assert.deepStrictEqual([...(yield* of(bitcoin, [listed(large)])).keys()], [])
    }))
  )

  it.live(
    "is asked for two hundred times at once, however many it spends; the account's own coin keeps what made it",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, coin, mine, other, user } = local
      const own = yield* pay(local, [yield* coin(user)], user)
      const [first, second] = [yield* coin(other), yield* coin(other)]
      const fans = [yield* pay(local, [first], other, 100), yield* pay(local, [second], other, 100)]
      // A mempool takes no long chains of what waits.
      yield* mine()
      const parents = yield* Effect.forEach(
        fans,
        ({ coins }) => Effect.forEach(coins, (each) => pay(local, [each], other))
      )
      yield* mine()
      const strangers = yield* Effect.forEach(parents, (made) => pay(local, made.flatMap(({ coins }) => coins), user))
      yield* mine()
      const { asked, rpc } = counting(yield* BitcoinRpc)
      const makers = yield* makeUnfinalMakers(rpc).of(bitcoin, [
        { ...listed(own), confirmations: 3 },
        ...strangers.map(listed)
      ])
      assert.strictEqual(asked(), 200)
      assert.isTrue(makers.has(own.id))
    }))
  )
})
