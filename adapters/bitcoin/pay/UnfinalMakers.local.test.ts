/** What made coins in blocks that are not final, whoever sent them, and however much that needed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Redacted } from "effect"
import type { BitcoinKey } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { signed } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import type { Spent } from "../../../hosts/localnet/nodes/bitcoin/node/Payment.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { BitcoinEndpoints, BitcoinRpc, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinClient } from "../rpc/BitcoinRpc.ts"
import { FINAL_AFTER, startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { makeUnfinalMakers } from "./UnfinalMakers.ts"
import type { KnownMakers } from "./UnfinalMakers.ts"

type Local = Effect.Success<typeof startLocalBitcoin>

const urls = ({ bitcoin }: Local, ...nodes: ReadonlyArray<Redacted.Redacted>) =>
  Layer.provide(layerRpc, Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, nodes]]) }))

const onChain = (body: (local: Local) => Effect.Effect<void, unknown, BitcoinRpc>) => () =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startLocalBitcoin
    yield* Effect.provide(body(local), urls(local, local.url))
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

const nobodys = () => false

/** The same nodes, and how many transactions they were asked for. */
const counting = (rpc: BitcoinRpc["Service"]) => {
  let asked = 0
  let calls = 0
  let requests = 0
  let most = 0
  const counted = new Map<BitcoinClient, BitcoinClient>()
  const countedOf = (client: BitcoinClient): BitcoinClient => {
    const known = counted.get(client) ?? {
      read: (body) =>
        client.read((core, deadline) =>
          body({
            ...core,
            answers: (several, milliseconds) => {
              calls += several.length
              const transactions = several.filter(({ method }) => method === "getrawtransaction").length
              asked += transactions
              requests += 1
              most = Math.max(most, transactions)
              return core.answers(several, milliseconds)
            }
          }, deadline)
        )
    }
    counted.set(client, known)
    return known
  }
  const several: typeof rpc.several = (chain, what, read, isEnough) =>
    rpc.several(chain, what, (client, step) => read(countedOf(client), step), isEnough)
  return {
    rpc: { ...rpc, several },
    asked: () => asked,
    calls: () => calls,
    requests: () => requests,
    /** The most transactions of one request. */
    most: () => most
  }
}

describe("what made unfinal coins", () => {
  it.live(
    "is known with up to two hundred inputs, with what these need; a coin of what spends more waits until it is final",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, coin, mine, other, user } = local
      const fan = yield* pay(local, [yield* coin(other)], other, 401)
      const [usual, large] = [
        yield* pay(local, fan.coins.slice(0, 200), user),
        yield* pay(local, fan.coins.slice(200), user)
      ]
      yield* mine()
      const { of } = makeUnfinalMakers(yield* BitcoinRpc)
      const { isProven, makers } = yield* of(bitcoin, [listed(usual), listed(large)], nobodys)
      assert.lengthOf(makers.get(usual.id)?.inputs ?? [], 200)
      assert.isTrue(makers.has(fan.id))
      assert.isFalse(makers.has(large.id))
      assert.deepStrictEqual([usual, large].map((each) => isProven(listed(each))), [true, false])
      // What needs it is not known either.
      const further = yield* pay(local, large.coins, user)
      yield* mine()
      assert.isFalse((yield* of(bitcoin, [listed(further)], nobodys)).isProven(listed(further)))
      yield* mine(FINAL_AFTER)
      const final = { ...listed(large), confirmations: FINAL_AFTER + 2 }
      assert.isTrue((yield* of(bitcoin, [final], nobodys)).isProven(final))
    }))
  )

  it.live(
    "is kept up to a thousand inputs of a stranger's coin, and whatever the account's own coins need (BITCOIN-23)",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, coin, mine, other, user } = local
      const parents: Array<Paid> = []
      const fans: Array<Paid> = []
      for (const from of [yield* coin(other), yield* coin(other), yield* coin(other)]) {
        fans.push(yield* pay(local, [from], other, 360))
      }
      yield* mine()
      for (const { coins } of fans) {
        parents.push(yield* pay(local, coins.slice(0, 180), other), yield* pay(local, coins.slice(180), other))
      }
      yield* mine()
      const [few, many] = [
        yield* pay(local, parents.slice(0, 1).flatMap(({ coins }) => coins), user),
        yield* pay(local, parents.slice(1).flatMap(({ coins }) => coins), user)
      ]
      const most = yield* pay(local, [...few.coins, ...many.coins], user)
      yield* mine()
      const { of } = makeUnfinalMakers(yield* BitcoinRpc)
      const coins = [listed(most)]
      // With those of its own parents it is above a thousand.
      const strangers = yield* of(bitcoin, coins, nobodys)
      assert.isFalse(strangers.isProven(listed(most)))
      assert.strictEqual(strangers.makers.size, 0)
      const own = yield* of(bitcoin, coins, () => true)
      assert.isTrue(own.isProven(listed(most)))
      assert.isTrue(fans.every(({ id }) => own.makers.has(id)))
      const final = { ...listed(most), confirmations: FINAL_AFTER + 2 }
      yield* mine(FINAL_AFTER)
      assert.isTrue((yield* of(bitcoin, [final], nobodys)).isProven(final))
    }))
  )

  it.live(
    "is asked for two hundred times at once, however many strangers send; the account's own coin comes first",
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
      const coins = [...strangers.map(listed), { ...listed(own), confirmations: 5 }]
      const provenBy = (known: KnownMakers) => coins.map(known.isProven)
      assert.deepStrictEqual(provenBy(yield* makeUnfinalMakers(rpc).of(bitcoin, coins, nobodys)), [false, false, false])
      assert.strictEqual(asked(), 200)
      const { of } = makeUnfinalMakers(rpc)
      const isOwn = ({ transactionId }: BtcOutpoint) => transactionId === own.id
      assert.deepStrictEqual(provenBy(yield* of(bitcoin, coins, isOwn)), [false, false, true])
      assert.isAtMost(asked(), 2 * 200 + 2)
      // What was read is remembered.
      assert.deepStrictEqual(provenBy(yield* of(bitcoin, coins, isOwn)), [true, true, true])
    }))
  )

  it.live("is known, too, of a coin that a single node calls final: it may be ahead of all others", () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startLocalBitcoin
      const [liar, honest] = [yield* local.addNode, yield* local.addNode]
      const { bitcoin, coin, mine, other, user } = local
      const paid = yield* pay(local, [yield* coin(other)], user)
      yield* mine()
      // Every block of its is as much higher, and its coins are as much deeper.
      const further = 20
      const ahead = (said: unknown): unknown => {
        if (typeof said !== "object" || said === null) return said
        return Object.fromEntries(
          Object.entries(said).map(([name, value]) =>
            name === "confirmations" && typeof value === "number" ? [name, value + further] : [name, value]
          )
        )
      }
      yield* liar.setFault({ kind: "lie", methods: ["gettxout"], tell: ahead })
      const asListed = { ...listed(paid), confirmations: 1 + further }
      const by = (...nodes: ReadonlyArray<Redacted.Redacted>) =>
        Effect.gen(function*() {
          const { isProven, makers } = yield* makeUnfinalMakers(yield* BitcoinRpc).of(bitcoin, [asListed], nobodys)
          assert.isTrue(isProven(asListed))
          return [...makers.keys()].includes(paid.id)
        }).pipe(Effect.provide(urls(local, ...nodes)))
      assert.isTrue(yield* by(liar.url, honest.url, local.url))
      assert.isTrue(yield* by(honest.url, liar.url, local.url))
      // Where there is no other, its word is the quorum's.
      assert.isFalse(yield* by(liar.url))
    })))

  it.live(
    "is not asked for again once as many nodes as the quorum needs have called the coin final",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, coin, mine, other, user } = local
      const paid = yield* pay(local, [yield* coin(other)], user)
      yield* mine(FINAL_AFTER + 1)
      const { calls, rpc } = counting(yield* BitcoinRpc)
      const { of } = makeUnfinalMakers(rpc)
      const final = { ...listed(paid), confirmations: FINAL_AFTER + 1 }
      assert.lengthOf([...(yield* of(bitcoin, [final], nobodys)).makers], 0)
      const before = calls()
      assert.lengthOf([...(yield* of(bitcoin, [final], nobodys)).makers], 0)
      assert.deepStrictEqual([before > 0, calls()], [true, before])
    }))
  )

  it.live(
    "is read in few requests of few transactions, each of which may have a megabyte, from however many blocks they are",
    onChain(Effect.fnUntraced(function*(local) {
      const { bitcoin, coin, mine, other, user } = local
      // One in each block.
      const parents = yield* Effect.forEach(Array.from({ length: 64 }), () => coin(other))
      const paid = yield* pay(local, parents, user)
      yield* mine()
      const { most, requests, rpc } = counting(yield* BitcoinRpc)
      assert.isTrue((yield* makeUnfinalMakers(rpc).of(bitcoin, [listed(paid)], nobodys)).isProven(listed(paid)))
      assert.isAtMost(most(), 8)
      // Not one for each block.
      assert.isAtMost(requests(), 32)
    }))
  )

  it.live(
    "holds up no other coin while nodes do not show what made a stranger's",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const local = yield* startLocalBitcoin
        const node = yield* local.addNode
        const { bitcoin, coin, mine, other, user } = local
        const final = yield* pay(local, [yield* coin(user)], user)
        yield* mine(FINAL_AFTER + 1)
        const [one, two] = [yield* coin(other), yield* coin(other)]
        const strangers = yield* pay(local, [one, two], user)
        yield* mine()
        const coins = [{ ...listed(final), confirmations: FINAL_AFTER + 4 }, listed(strangers)]
        const by = Effect.gen(function*() {
          const { isProven } = yield* makeUnfinalMakers(yield* BitcoinRpc).of(bitcoin, coins, nobodys)
          return coins.map(isProven)
        }).pipe(Effect.provide(urls(local, node.url)))
        assert.deepStrictEqual(yield* by, [true, true])
        yield* node.setFault({ kind: "hang", methods: ["getrawtransaction"] })
        assert.deepStrictEqual(yield* by, [true, false])
      }))
  )

  it.live(
    "is asked of the other nodes where one does not show the coin: it may be stuck at an old block",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const local = yield* startLocalBitcoin
        const [stuck, honest] = [yield* local.addNode, yield* local.addNode]
        const { bitcoin, coin, mine, other, user } = local
        const final = yield* pay(local, [yield* coin(other)], user)
        yield* mine(FINAL_AFTER + 1)
        const recent = yield* pay(local, [yield* coin(other)], user)
        yield* mine()
        const coins = [{ ...listed(final), confirmations: FINAL_AFTER + 3 }, listed(recent)]
        yield* stuck.setFault({
          kind: "lie",
          methods: ["gettxout", "getrawtransaction"],
          // In no block there, and unspent in none.
          tell: (said, method) =>
            method === "gettxout" || typeof said !== "object" || said === null
              ? null
              : { ...said, blockhash: undefined }
        })
        const by = (...nodes: ReadonlyArray<Redacted.Redacted>) =>
          Effect.gen(function*() {
            const { isProven, makers } = yield* makeUnfinalMakers(yield* BitcoinRpc).of(bitcoin, coins, nobodys)
            assert.deepStrictEqual(coins.map(isProven), [true, true])
            assert.isTrue(makers.has(recent.id))
          }).pipe(Effect.provide(urls(local, ...nodes)))
        yield* by(stuck.url, honest.url, local.url)
        yield* by(honest.url, stuck.url, local.url)
      }))
  )
})
