/** The port `DepositWatcher` on a local Bitcoin chain: its contract, and what only Bitcoin does to a deposit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Redacted } from "effect"
import type { Scope } from "effect"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { depositWatcherContract, finalScanContract } from "../../../property-tests/family/DepositWatcher.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { BitcoinEndpoints, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { account, FINAL_AFTER, startLocalBitcoin } from "../testing/LocalBitcoin.ts"
import { layer } from "./Watcher.ts"

type Local = Effect.Success<typeof startLocalBitcoin>

const orderId = (byte: number) => Hex32.make(`0x${byte.toString(16).padStart(2, "0").repeat(32)}`)

const watcherOf = (chain: Chain, ...urls: ReadonlyArray<Redacted.Redacted>) =>
  // Fresh: two watchers of one test have other nodes.
  Layer.fresh(layer.pipe(
    Layer.provide(layerRpc),
    Layer.provide(Layer.succeed(BitcoinEndpoints, {
      urls: new Map([[chain.id, urls]]),
      // Both of two, two of three.
      quorums: new Map([[chain.id, Math.min(2, urls.length)]])
    }))
  ))

const fixtureOf = (local: Local) =>
  Effect.gen(function*() {
    const { bitcoin, chain, coin, into, mine, reorg, saying, send, user } = local
    const none = Effect.die(new Error("no contract of the watcher asks for it"))
    // Several deposits may wait for one block, each of a coin of its own.
    const coins = [yield* coin(user), yield* coin(user), yield* coin(user)]
    return FamilyFixture.of({
      chain: bitcoin,
      token: bitcoin.native,
      user: account(user.address),
      stranger: account(local.other.address),
      refusing: undefined,
      balance: (of) => Effect.sync(() => chain.ledger.coinsOf(of).reduce((sum, { value }) => sum + value, 0n)),
      deposit: (_, amount, order) =>
        Effect.suspend(() => {
          const spent = coins.pop()
          return spent === undefined ? none : send([spent], [into(amount), saying(order)])
        }),
      carryOut: () => none,
      mine: mine(),
      finalise: mine(FINAL_AFTER),
      takeBack: reorg(1, "dropped")
    })
  })

const layerContract = (...names: ReadonlyArray<string>) =>
  Layer.unwrap(Effect.gen(function*() {
    const local = yield* startLocalBitcoin
    // Another name of the loopback is another host.
    const urls = names.map((name) => Redacted.make(Redacted.value(local.url).replace("127.0.0.1", name)))
    return Layer.merge(Layer.effect(FamilyFixture, fixtureOf(local)), watcherOf(local.bitcoin, ...urls))
  }))

describe("DepositWatcher of a Bitcoin chain", () => {
  for (const { check, name, needs } of depositWatcherContract) {
    // The local node replaces blocks only by a longer branch, so what comes instead is higher.
    if (needs === "reused-heights") continue
    it.live(name, () => Effect.provide(check, Layer.fresh(layerContract("127.0.0.1"))))
  }
  for (const { check, name } of finalScanContract) {
    it.live(name, () => Effect.provide(check, Layer.fresh(layerContract("127.0.0.1", "localhost"))))
  }
})

/** With one node, unless `more` names others. */
const onChain = (
  body: (local: Local) => Effect.Effect<void, unknown, DepositWatcher | Scope.Scope>
) =>
() =>
  Effect.scoped(Effect.gen(function*() {
    const local = yield* startLocalBitcoin
    yield* Effect.provide(body(local), watcherOf(local.bitcoin, local.url))
  }))

/** Scans until the head is reached. */
const scannedFrom = Effect.fnUntraced(function*(chain: Chain, cursor: Cursor) {
  const watcher = yield* DepositWatcher
  const deposits: Array<Deposit> = []
  let [from, scans, reached] = [cursor, 0, false]
  for (; !reached; scans += 1) {
    const scan = yield* watcher.scan(chain, from)
    deposits.push(...scan.deposits)
    reached = scan.cursor.height === scan.head.height
    from = scan.cursor
  }
  return { deposits, scans }
})

describe("a deposit on a Bitcoin chain", () => {
  it.live("is read anew by a look at final blocks, also from the node that has shown it to a scan", () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startLocalBitcoin
      const { bitcoin, coin, into, mine, saying, send, setFault, url, user } = local
      const hosts = ["127.0.0.1", "localhost"].map((name) =>
        Redacted.make(Redacted.value(url).replace("127.0.0.1", name))
      )
      yield* Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const from = yield* watcher.head(bitcoin)
        yield* send([yield* coin(user)], [into(1_000n), saying(orderId(1))])
        yield* mine(1 + FINAL_AFTER)
        assert.lengthOf((yield* watcher.scan(bitcoin, from)).deposits, 1)
        let read = 0
        yield* setFault({
          kind: "lie",
          methods: ["getrawtransaction"],
          tell: (honest) => {
            read += 1
            return honest
          }
        })
        const { finalHeight } = yield* watcher.heads(bitcoin, "endpoint")
        const { newest = assert.fail("nothing is final") } = yield* watcher.finality(bitcoin, undefined)
        assert.strictEqual(newest.height, finalHeight)
        assert.lengthOf((yield* watcher.scanFinal(bitcoin, from, newest)).deposits, 1)
        const ofLook = read
        // What a look has read itself is kept, as a scan's is.
        assert.lengthOf((yield* watcher.scanFinal(bitcoin, from, newest)).deposits, 1)
        assert.deepStrictEqual([ofLook > 0, ofLook % hosts.length, read], [true, 0, ofLook])
      }).pipe(Effect.provide(watcherOf(bitcoin, ...hosts)))
    })))

  it.live(
    "is all that the depository is paid, under the first note, in whatever order a wallet puts the outputs",
    onChain(({ bitcoin, coin, into, mine, other, saying, send, user }) =>
      Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(bitcoin)
        const paid = { script: other.script, amount: 7_000n }
        const ids = [
          yield* send([yield* coin(user)], [saying(orderId(1)), paid, into(1_000n), into(2_000n)]),
          yield* send([yield* coin(user)], [into(1_000n), saying(orderId(2)), saying(orderId(3))]),
          yield* send([yield* coin(user)], [into(1_000n), saying(`${orderId(4)}|depositor=${other.address}|`)]),
          yield* send([yield* coin(user)], [into(1_000n), saying(`order ${orderId(5)}`)]),
          yield* send([yield* coin(user), yield* coin(other)], [into(1_000n)])
        ]
        yield* mine()
        const { deposits } = yield* watcher.scan(bitcoin, cursor)
        const none = orderId(0)
        assert.deepStrictEqual(
          ids.map((id) =>
            deposits.filter(({ transactionId }) => transactionId === id).map((
              { amount, depositId, depositor, index, sender }
            ) => [depositId, amount, index, depositor, sender])
          ),
          [
            [[orderId(1), 3_000n, 0, account(user.address), account(user.address)]],
            // Two orders in one transaction: the money is one deposit, and the first one's.
            [[orderId(2), 1_000n, 1, account(user.address), account(user.address)]],
            [[orderId(4), 1_000n, 1, account(other.address), account(user.address)]],
            [[none, 1_000n, 0, account(user.address), account(user.address)]],
            [[none, 1_000n, 0, account(user.address), account(user.address)]]
          ]
        )
      })
    )
  )

  it.live(
    "is none while it waits: what replaces it, or spends its coin elsewhere, counts alone",
    onChain(({ bitcoin, coin, into, mine, other, saying, send, user }) =>
      Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(bitcoin)
        const [bumped, stolen] = [yield* coin(user), yield* coin(user)]
        const first = yield* send([bumped], [into(5_000n), saying(orderId(1))])
        const taken = yield* send([stolen], [into(5_000n), saying(orderId(2))])
        assert.isUndefined(yield* watcher.look(bitcoin, first))
        assert.deepStrictEqual((yield* watcher.scan(bitcoin, cursor)).deposits, [])
        const second = yield* send([bumped], [into(4_000n), saying(orderId(1))], 5_000n)
        yield* send([stolen], [{ script: other.script, amount: 5_000n }], 5_000n)
        yield* mine()
        const { deposits } = yield* watcher.scan(bitcoin, cursor)
        assert.deepStrictEqual(deposits.map(({ amount, transactionId }) => [transactionId, amount]), [[second, 4_000n]])
        assert.isUndefined(yield* watcher.look(bitcoin, first))
        assert.isUndefined(yield* watcher.look(bitcoin, taken))
      })
    )
  )

  it.live(
    "that a reorg of two blocks took back is gone while it waits, and stands in its new block afterwards",
    onChain(({ bitcoin, coin, into, mine, reorg, saying, send, user }) =>
      Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(bitcoin)
        const id = yield* send([yield* coin(user)], [into(5_000n), saying(orderId(1))])
        yield* mine(2)
        const before = yield* watcher.scan(bitcoin, cursor)
        const sighted = before.deposits[0] ?? assert.fail("not found")
        assert.strictEqual(sighted.transactionId, id)
        yield* reorg(2)
        assert.deepStrictEqual(yield* watcher.standing(bitcoin, sighted, "endpoint"), { _tag: "Gone" })
        assert.isUndefined(yield* watcher.look(bitcoin, id))
        yield* mine()
        const after = yield* watcher.standing(bitcoin, sighted, "endpoint")
        if (after._tag !== "Included") return assert.fail(after._tag)
        assert.notStrictEqual(after.block.hash, sighted.block.hash)
        assert.strictEqual(after.confirmations, 1)
        const left = yield* scannedFrom(bitcoin, before.cursor)
        assert.deepStrictEqual(left.deposits.map(({ block }) => block.hash), [after.block.hash])
        // The node remembers where the chain left that block, so nothing before it is read.
        assert.strictEqual(left.scans, 1)
        // The node has never seen this one, at the height of the deposit's new block.
        const lost = yield* scannedFrom(bitcoin, { height: after.block.height, hash: "ab".repeat(32) })
        assert.deepStrictEqual(lost.deposits.map(({ block }) => block.hash), [after.block.hash])
      })
    )
  )

  it.live("is not gone because a node hides its transaction, or does not have its block yet", () =>
    Effect.scoped(Effect.gen(function*() {
      const { addNode, bitcoin, coin, into, mine, saying, send, url, user } = yield* startLocalBitcoin
      const node = yield* addNode
      const sighted = yield* Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(bitcoin)
        yield* send([yield* coin(user)], [into(5_000n), saying(orderId(1))])
        yield* mine()
        const { deposits: [found] } = yield* watcher.scan(bitcoin, cursor)
        return found ?? assert.fail("not found")
      }).pipe(Effect.provide(watcherOf(bitcoin, url)))
      const asked = Effect.flatMap(
        DepositWatcher,
        (watcher) => Effect.flip(watcher.standing(bitcoin, sighted, "endpoint"))
      ).pipe(Effect.provide(watcherOf(bitcoin, node.url)))
      yield* node.setFault({
        kind: "error",
        code: -5,
        message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.",
        methods: ["getrawtransaction"]
      })
      assert.strictEqual((yield* asked).kind, "behind")
      yield* node.setFault({ kind: "error", code: -5, message: "still indexing", methods: ["getrawtransaction"] })
      assert.strictEqual((yield* asked).kind, "refused")
    })))

  it.live("is not gone because one of three nodes shows another block in its block's place", () =>
    Effect.scoped(Effect.gen(function*() {
      const { addNode, bitcoin, coin, into, mine, saying, send, url, user } = yield* startLocalBitcoin
      const [liar, honest] = [yield* addNode, yield* addNode]
      const nodes = yield* Layer.build(watcherOf(bitcoin, liar.url, honest.url, url))
      yield* Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(bitcoin)
        yield* send([yield* coin(user)], [into(5_000n), saying(orderId(1))])
        yield* mine()
        const { deposits: [found] } = yield* watcher.scan(bitcoin, cursor)
        const sighted = found ?? assert.fail("not found")
        yield* liar.setFault({
          kind: "lie",
          methods: ["getblockhash"],
          tell: (hash) => hash === sighted.block.hash ? "ab".repeat(32) : hash
        })
        const alone = Effect.flatMap(DepositWatcher, (lied) => lied.standing(bitcoin, sighted, "endpoint"))
        assert.strictEqual((yield* Effect.provide(alone, watcherOf(bitcoin, liar.url)))._tag, "Gone")
        assert.strictEqual((yield* watcher.standing(bitcoin, sighted, "endpoint"))._tag, "Included")
      }).pipe(Effect.provideContext(nodes))
    })))

  it.live(
    "is found in any of many blocks, a part of them in each scan",
    onChain(({ bitcoin, coin, into, mine, saying, send, user }) =>
      Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(bitcoin)
        const ids: Array<string> = []
        for (let nth = 1; nth <= 3; nth += 1) {
          ids.push(yield* send([yield* coin(user)], [into(5_000n), saying(orderId(nth))]))
          yield* mine(9)
        }
        const { deposits, scans } = yield* scannedFrom(bitcoin, cursor)
        assert.deepStrictEqual(deposits.map(({ transactionId }) => transactionId), ids)
        assert.isAbove(scans, 1)
      })
    )
  )
})
