/** The ports `DepositWatcher` and `DirectPaymentWatcher` on a local Tron chain: their contracts, and what only Tron does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { RpcRefusal } from "../../../hosts/localnet/nodes/RpcRefusal.ts"
import {
  allowUsdc,
  depositNative,
  payNative,
  transferUsdc,
  transferUsdcFrom
} from "../../../hosts/localnet/nodes/tron/Deposits.ts"
import { tellHeader } from "../../../hosts/localnet/nodes/tron/node/rpc/Told.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { depositWatcherContract, finalScanContract } from "../../../property-tests/family/DepositWatcher.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { sendWatcherContract } from "../../../property-tests/family/Quoting.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { layer as layerPrices } from "../cost/TronPrices.ts"
import { layer as layerSteps } from "../quote/Steps.ts"
import { layer as layerRpc, TronEndpoints } from "../rpc/TronRpc.ts"
import { account, fixtureOf, startDepositingTron } from "../testing/DepositingTron.ts"
import type { DepositingTron } from "../testing/DepositingTron.ts"
import { layer as layerPayments } from "./DirectPayments.ts"
import { layer as layerWatcher } from "./Watcher.ts"

const orderId = (byte: number) => Hex32.make(`0x${byte.toString(16).padStart(2, "0").repeat(32)}`)

const portsOf = ({ chain, nodes }: DepositingTron) =>
  Layer.mergeAll(layerWatcher, layerPayments, layerSteps).pipe(
    Layer.provide(layerPrices),
    Layer.provide(layerRpc),
    Layer.provide(Layer.succeed(TronEndpoints, {
      urls: new Map([[chain.id, nodes.map(({ url }) => url)]]),
      quorums: new Map([[chain.id, nodes.length]])
    }))
  )

const layerContract = (hosts: 1 | 2) =>
  Layer.unwrap(
    Effect.map(startDepositingTron(hosts), (local) =>
      Layer.merge(Layer.succeed(FamilyFixture, fixtureOf(local)), portsOf(local)))
  )

type Ports = Layer.Success<ReturnType<typeof layerContract>>

const holds = (port: string, hosts: 1 | 2, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of a Tron chain`, () => {
    for (const { check, name, needs } of contracts) {
      // The local node replaces blocks only by a longer branch, so what comes instead is higher.
      if (needs === "reused-heights") continue
      it.live(name, () => Effect.provide(check, Layer.fresh(layerContract(hosts))))
    }
  })

holds("DepositWatcher", 1, depositWatcherContract)
holds("DepositWatcher by two hosts", 2, finalScanContract)
holds("DirectPaymentWatcher", 1, sendWatcherContract)

const onChain =
  (body: (local: DepositingTron) => Effect.Effect<void, unknown, DepositWatcher | DirectPaymentWatcher>) => () =>
    Effect.scoped(Effect.flatMap(startDepositingTron(1), (local) => Effect.provide(body(local), portsOf(local))))

/** The header that was asked for, or the one at that height. */
const headerAt = ({ chain }: DepositingTron["local"], asked: unknown, newest: number) => {
  const { id_or_num } = asked as { readonly id_or_num?: string }
  return tellHeader(chain.ledger.at(Number(id_or_num ?? newest)))
}

/** A chain with one deposit of TRX, in its newest block. */
interface Deposited extends DepositingTron {
  readonly watcher: DepositWatcher["Service"]
  /** The head before it. */
  readonly cursor: Cursor
  readonly found: Deposit
}

const onDeposit = (body: (world: Deposited) => Effect.Effect<void, unknown>) =>
  onChain((world) =>
    Effect.gen(function*() {
      const { chain, local, wallet } = world
      const watcher = yield* DepositWatcher
      const cursor = yield* watcher.head(chain)
      yield* Effect.promise(() => depositNative(wallet, orderId(1), 1_000n))
      yield* local.mine()
      const { deposits } = yield* watcher.scan(chain, cursor)
      const found = deposits.find(({ depositId }) => depositId === orderId(1)) ?? assert.fail("not found")
      yield* body({ ...world, cursor, found, watcher })
    })
  )

describe("a deposit on a Tron chain", () => {
  it.live(
    "is solidified only when the node's solidified part holds its block; while the parts are apart it is neither final nor gone",
    onDeposit(({ chain, found, local, setFault, watcher }) =>
      Effect.gen(function*() {
        const standing = Effect.result(watcher.standing(chain, found, "endpoint"))
        yield* local.mine(3)
        /** The solidified part is ahead, and on another fork. */
        const other = (told: unknown): unknown =>
          JSON.parse(JSON.stringify(told).replaceAll(found.block.hash.slice(16), "e".repeat(48)))
        yield* setFault({
          kind: "lie",
          methods: ["/walletsolidity/getblock"],
          tell: (_, __, asked) => other(headerAt(local, asked, Number(found.block.height) + 1))
        })
        assert.strictEqual(Result.isFailure(yield* standing), true)
        yield* setFault(undefined)
        const honest = yield* watcher.standing(chain, found, "endpoint")
        assert.isTrue(honest._tag === "Included" && !honest.final && honest.confirmations === 4)
        yield* local.solidify
        const last = yield* watcher.standing(chain, found, "endpoint")
        assert.isTrue(last._tag === "Included" && last.final)
      })
    )
  )

  it.live(
    "is not gone while the node only lacks its transaction, and is gone once another block is at its height",
    onDeposit(({ chain, found, local, setFault, watcher }) =>
      Effect.gen(function*() {
        yield* setFault({ kind: "lie", methods: ["eth_getTransactionReceipt"], tell: () => null })
        const unknown = yield* Effect.flip(watcher.standing(chain, found, "endpoint"))
        assert.strictEqual(unknown.kind, "behind")
        yield* local.reorg(1, "waiting")
        const gone = yield* watcher.standing(chain, found, "endpoint")
        assert.strictEqual(gone._tag, "Gone")
        // It waits again, and comes into another block.
        yield* setFault(undefined)
        yield* local.mine()
        const again = yield* watcher.standing(chain, found, "endpoint")
        assert.isTrue(again._tag === "Included" && again.block.hash !== found.block.hash)
      })
    )
  )

  it.live(
    "is not waited for at a node whose history begins after the cursor: another endpoint is asked",
    onDeposit(({ chain, cursor, found, local, setFault, watcher }) =>
      Effect.gen(function*() {
        yield* local.mine(3)
        const isCursor = (asked: unknown): boolean =>
          (asked as { readonly id_or_num?: string }).id_or_num === cursor.height.toString()
        yield* setFault({
          kind: "lie",
          methods: ["/wallet/getblock", "/walletsolidity/getblock"],
          tell: (told, _, asked) => isCursor(asked) ? {} : told
        })
        assert.strictEqual((yield* Effect.flip(watcher.scan(chain, cursor))).kind, "behind")
        yield* setFault(undefined)
        assert.include((yield* watcher.scan(chain, cursor)).deposits.map(({ onchainId }) => onchainId), found.onchainId)
      })
    )
  )

  it.live(
    "is not passed by a scan from far below the head, at a node whose index of logs lacks it (TRON-28)",
    onDeposit(({ chain, cursor, found, local, setFault, watcher }) =>
      Effect.gen(function*() {
        const noLogs = (methods: ReadonlyArray<string>) => setFault({ kind: "lie", methods, tell: () => [] })
        const scanned = Effect.map(
          watcher.scan(chain, cursor),
          ({ deposits }) => deposits.map((each) => each.onchainId)
        )
        yield* local.mine(52)
        // So near, an index that has not come so far yet is what the next scans read again.
        yield* noLogs(["eth_getLogs"])
        assert.deepStrictEqual(yield* scanned, [])
        yield* local.mine(12)
        assert.strictEqual((yield* Effect.flip(scanned)).kind, "behind")
        // It refuses to say which blocks have logs: that is no claim that there are none.
        yield* setFault({
          kind: "lie",
          methods: ["eth_getLogs", "eth_getBlockReceipts"],
          tell: (_, method) => {
            if (method === "eth_getBlockReceipts") throw new Error("the method does not exist")
            return []
          }
        })
        assert.deepStrictEqual(yield* scanned, [])
        // That it is asked too much says nothing about which blocks have logs (TRON-31).
        for (
          const limit of [
            "request rate limited",
            "class java.lang.IllegalAccessException : lack of computing resources"
          ]
        ) {
          yield* setFault({
            kind: "lie",
            methods: ["eth_getLogs", "eth_getBlockReceipts"],
            tell: (_, method) => {
              if (method === "eth_getBlockReceipts") throw new RpcRefusal(-32_005, limit)
              return []
            }
          })
          assert.strictEqual((yield* Effect.flip(scanned)).kind, "refused", limit)
        }
        yield* setFault(undefined)
        assert.deepStrictEqual(yield* scanned, [found.onchainId])
        // Blocks without any logs are passed, after some have been looked through.
        const later = yield* watcher.head(chain)
        yield* local.mine(100)
        yield* noLogs(["eth_getLogs"])
        assert.isAbove(Number((yield* watcher.scan(chain, later)).cursor.height), Number(later.height))
      })
    )
  )

  it.live(
    "is found however many logs a node refuses to return: the range is made smaller, and at last read by receipts",
    onChain(({ chain, local, setFault, wallet }) =>
      Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const start = yield* watcher.head(chain)
        for (const byte of [3, 4]) {
          yield* Effect.promise(() => depositNative(wallet, orderId(byte), 1_000n))
          yield* Effect.promise(() => transferUsdc(wallet, 5n, orderId(byte)))
          yield* local.mine(2)
        }
        for (const least of [2n, 1n, 0n]) {
          yield* setFault({
            kind: "lie",
            methods: ["eth_getLogs"],
            // So many blocks are too many for this node. With zero it returns no logs at all.
            tell: (logs, _, params) => {
              const [filter] = params as [{ readonly fromBlock: string; readonly toBlock: string }]
              if (BigInt(filter.toBlock) - BigInt(filter.fromBlock) >= least) throw new Error("too many logs")
              return logs
            }
          })
          const shown: Array<string> = []
          let cursor = { height: start.height, hash: start.hash }
          for (;;) {
            const scan = yield* watcher.scan(chain, cursor)
            shown.push(...scan.deposits.map(({ depositId }) => depositId))
            if (scan.cursor.height === scan.head.height) break
            cursor = scan.cursor
          }
          assert.sameMembers([...new Set(shown)], [orderId(3), orderId(4)], `${least}`)
        }
      })
    )
  )

  it.live(
    "belongs to the owner of the transaction, whomever it names, and tells whose token it was",
    onChain(({ chain, local, wallet }) =>
      Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const other = yield* local.wallet("somebody else")
        const cursor = yield* watcher.head(chain)
        yield* Effect.promise(() => allowUsdc(wallet, other.key.evm, 7n))
        const id = yield* Effect.promise(() => transferUsdcFrom(other, wallet.key.evm, 7n, orderId(5)))
        yield* local.mine()
        const { deposits } = yield* watcher.scan(chain, cursor)
        const [found] = deposits.filter(({ transactionId }) => String(transactionId) === id)
        assert.deepStrictEqual<unknown>([found?.depositId, found?.sender, found?.depositor, found?.forwarder], [
          orderId(5),
          account(other.key.address),
          account(wallet.key.address),
          account(wallet.key.address)
        ])
      })
    )
  )
})

describe("a user's own payment on a Tron chain", () => {
  it.live(
    "is not passed over while the node has its block and not yet its receipt",
    onChain(({ chain, local, setFault, wallet }) =>
      Effect.gen(function*() {
        const [payments, watcher] = [yield* DirectPaymentWatcher, yield* DepositWatcher]
        const other = yield* local.wallet("somebody else")
        const start = yield* watcher.head(chain)
        yield* Effect.promise(() => payNative(wallet, other.key.address, 3n, orderId(6)))
        yield* local.mine()
        yield* setFault({ kind: "lie", methods: ["eth_getTransactionReceipt"], tell: () => null })
        assert.strictEqual((yield* Effect.flip(payments.scan(chain, start))).kind, "behind")
        yield* setFault(undefined)
        assert.lengthOf((yield* payments.scan(chain, start)).payments, 1)
      })
    )
  )

  it.live(
    "is found by its memo in either form or behind a token's arguments, and by nothing else; a reorg is read again",
    onChain(({ chain, local, wallet }) =>
      Effect.gen(function*() {
        const [payments, watcher] = [yield* DirectPaymentWatcher, yield* DepositWatcher]
        const other = yield* local.wallet("somebody else")
        const start = yield* watcher.head(chain)
        const text = `0x${Buffer.from(orderId(7), "utf8").toString("hex")}` as const
        const sent = yield* Effect.promise(async () => [
          await payNative(wallet, other.key.address, 3n, orderId(6)),
          await payNative(wallet, other.key.address, 4n, text),
          await transferUsdc(wallet, 5n, orderId(8), other.key.evm),
          await payNative(wallet, other.key.address, 6n, "0x1234"),
          await depositNative(wallet, orderId(9), 7n)
        ])
        yield* local.mine()
        const first = yield* payments.scan(chain, start)
        assert.deepStrictEqual(
          first.payments.map(({ orderId: order, transactionId }): ReadonlyArray<string> => [order, transactionId]),
          sent.slice(0, 3).map((id, index) => [orderId(6 + index), id])
        )
        assert.deepStrictEqual<unknown>(
          first.payments.flatMap((each) => each.payments.map(({ amount, recipient }) => [amount, recipient])),
          [3n, 4n, 5n].map((amount) => [amount, account(other.key.address)])
        )
        yield* local.reorg(1, "waiting")
        yield* local.mine()
        let { cursor, payments: again } = yield* payments.scan(chain, first.cursor)
        assert.isBelow(Number(cursor.height), Number(first.cursor.height))
        for (; again.length === 0;) ({ cursor, payments: again } = yield* payments.scan(chain, cursor))
        assert.lengthOf(again, 3)
      })
    )
  )
})
