/** The ports `DepositWatcher` and `StepBuilder` on a simulated exchange A: their contracts, and what only exchange A does. */
import { assert, describe, it } from "@effect/vitest"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { Effect, Layer } from "effect"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import {
  atOnceFinal,
  depositWatcherContract,
  finalScanContract
} from "../../../property-tests/family/DepositWatcher.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { stepBuilderContract } from "../../../property-tests/family/Quoting.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { NO_ORDER } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { PRICE_HOLD_SECONDS } from "../../../src/domain/transfer/deposit/JudgeDeposit.ts"
import { layer as layerSteps } from "../quote/Steps.ts"
import { fixtureOf, startDepositingExchangeA } from "../testing/DepositingExchangeA.ts"
import type { DepositingExchangeA } from "../testing/DepositingExchangeA.ts"
import { layer as layerWatcher } from "./Watcher.ts"

const HOUR = 3_600_000
const spotUsdc = asCurrency("0x6d1e7cde53ba9467b783cb7c530ce054")
const orderId = (byte: number) => Hex32.make(`0x${byte.toString(16).padStart(2, "0").repeat(32)}`)

const portsOf = ({ layerRpc }: DepositingExchangeA) =>
  Layer.merge(layerWatcher, layerSteps).pipe(Layer.provide(layerRpc))

const layerContract = (hosts: 1 | 2) =>
  Layer.unwrap(
    Effect.map(startDepositingExchangeA(hosts, 1_000_000), (local) =>
      Layer.merge(Layer.succeed(FamilyFixture, fixtureOf(local)), portsOf(local)))
  )

type Ports = Layer.Success<ReturnType<typeof layerContract>>

const holds = (port: string, hosts: 1 | 2, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of exchange A`, () => {
    for (const { check, name, needs } of contracts) {
      if (needs === "reorgs" || needs === "reused-heights") continue
      it.live(name, () => Effect.provide(check, Layer.fresh(layerContract(hosts))))
    }
  })

holds("DepositWatcher", 1, [
  ...depositWatcherContract,
  { name: "a deposit is final as soon as it is seen", check: atOnceFinal }
])
holds("DepositWatcher by two hosts", 2, finalScanContract)
holds("StepBuilder", 1, stepBuilderContract)

const onExchange =
  (body: (local: DepositingExchangeA) => Effect.Effect<void, unknown, DepositWatcher>, hosts: 1 | 2 = 1) => () =>
    Effect.scoped(
      Effect.flatMap(startDepositingExchangeA(hosts, 1_000_000), (local) => Effect.provide(body(local), portsOf(local)))
    )

/** The orders of what a scan finds, and the cursor behind it. */
const scanned = Effect.fnUntraced(function*({ chain }: DepositingExchangeA, cursor: Cursor) {
  const scan = yield* (yield* DepositWatcher).scan(chain, cursor)
  return { ...scan, orders: scan.deposits.map(({ depositId }) => depositId) }
})

describe("a deposit on exchange A", () => {
  it.live(
    "whose mapping comes later is found then, however far the scan has gone, also after a restart",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, map, native, nextNonce, send } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        const [first, second] = [nextNonce(), nextNonce()]
        const id = yield* send(native, 1_000n, first)
        yield* send(native, 2_000n, second)
        book.pass(1_000)
        const none = yield* scanned(local, cursor)
        assert.deepStrictEqual(none.orders, [])
        assert.isUndefined(yield* (yield* DepositWatcher).look(chain, id))
        book.pass(HOUR / 2)
        const later = yield* scanned(local, none.cursor)
        assert.isAbove(Number(later.cursor.height), Number(none.cursor.height))
        yield* map(orderId(1), first)
        const mappedAt = Math.floor(book.now() / 1_000)
        book.pass(1_000)
        const found = yield* scanned(local, later.cursor)
        assert.deepStrictEqual(found.orders, [orderId(1)])
        // Its price is that of the moment in which it was named.
        assert.deepStrictEqual(found.deposits.map(({ block }) => block.time), [mappedAt])
        const [named] = found.deposits
        const standing = named === undefined
          ? undefined
          : yield* (yield* DepositWatcher).standing(chain, named, "quorum")
        assert.isTrue(standing?._tag === "Included" && standing.final && standing.block.time === mappedAt)
        // Not recorded yet, as far as the watcher knows.
        assert.deepStrictEqual((yield* scanned(local, later.cursor)).orders, [orderId(1)])
        book.pass(1_000)
        assert.deepStrictEqual((yield* scanned(local, found.cursor)).orders, [])
        yield* map(orderId(2), second)
        // Another process, which has seen neither.
        yield* Effect.gen(function*() {
          assert.sameMembers((yield* scanned(local, found.cursor)).orders, [orderId(1), orderId(2)])
        }).pipe(Effect.provide(Layer.fresh(portsOf(local))))
      })
    )
  )

  it.live(
    "whose mapping never comes, or is another wallet's, names no order after an hour of the exchange's time and ten minutes",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, map, native, nextNonce, other, send } = local
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(chain)
        const [never, forged, late] = [nextNonce(), nextNonce(), nextNonce()]
        for (const nonce of [never, forged, late]) yield* send(native, 1_000n, nonce)
        yield* map(orderId(1), forged, {}, other)
        book.pass(HOUR)
        const waiting = yield* scanned(local, cursor)
        assert.deepStrictEqual(waiting.orders, [])
        book.pass(5_000)
        yield* map(orderId(2), late)
        // By a clock that is behind the exchange's, one could still be kept as if it had come in time.
        const kept = yield* scanned(local, waiting.cursor)
        assert.deepStrictEqual(kept.orders, [])
        book.pass(600_000)
        const ended = yield* scanned(local, waiting.cursor)
        assert.deepStrictEqual(ended.orders, [NO_ORDER, NO_ORDER, NO_ORDER])
        const [nameless] = ended.deposits
        if (nameless === undefined) return
        const standing = yield* watcher.standing(chain, nameless, "endpoint")
        assert.isTrue(standing._tag === "Included" && standing.final)
      })
    )
  )

  it.live(
    "by usdSend is found by its transaction, and a transfer on another dex is in that dex's currency",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, endpoints: [{ url } = { url: "" }], map, nextNonce, user } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        const nonce = nextNonce()
        yield* map(orderId(1), nonce)
        const client = new ExchangeClient({
          transport: new HttpTransport({ apiUrl: url }),
          wallet: user,
          nonceManager: () => nonce
        })
        yield* Effect.promise(() => client.usdSend({ destination: chain.depository, amount: "2.5" }))
        const onSpot = nextNonce()
        yield* map(orderId(2), onSpot)
        yield* local.send({ ...local.token, symbol: "USDC", decimals: 8, address: spotUsdc }, 12_345n, onSpot)
        book.pass(1_000)
        const { deposits } = yield* scanned(local, cursor)
        assert.sameDeepMembers(
          deposits.map(({ amount, currency, depositId }) => [amount, currency, depositId]),
          [[12_345n, spotUsdc, orderId(2)], [250_000_000n, chain.native.address, orderId(1)]]
        )
      })
    )
  )

  it.live(
    "is found among more than a page of others, without a request for each of them",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, deposit, native, other } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        const token = `USDC:0x6d1e7cde53ba9467b783cb7c530ce054`
        for (let count = 0; count < 1_100; count += 1) {
          if (count % 100 === 0) book.pass(1)
          const nonce = book.now() + count
          const shown = {
            type: "sendAsset",
            hyperliquidChain: "Mainnet",
            destination: chain.depository,
            sourceDex: "",
            destinationDex: "",
            token,
            amount: "0.01",
            fromSubAccount: "",
            nonce
          }
          const sent = { destination: chain.depository, from: "", to: "", token, amount: "0.01", shown }
          assert.isUndefined(book.submit({ signer: other.address.toLowerCase(), nonce: `${nonce}`, ...sent }))
        }
        yield* deposit(native, 1_000n, orderId(3))
        book.pass(1_000)
        yield* local.setFault({ kind: "status", status: 429, questions: ["txDetails"] })
        assert.deepStrictEqual((yield* scanned(local, cursor)).orders, [orderId(3)])
      })
    )
  )

  it.live(
    "behind more of its millisecond than a ledger lists has a new price, whenever it is shown",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, deposit, native, other } = local
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(chain)
        const token = `USDC:0x6d1e7cde53ba9467b783cb7c530ce054`
        for (let count = 0; count < 500; count += 1) {
          const nonce = book.now() + count
          const moved = { sourceDex: "", destinationDex: "", token, amount: "0.01", fromSubAccount: "", nonce }
          const shown = { type: "sendAsset", hyperliquidChain: "Mainnet", destination: chain.depository, ...moved }
          const sent = { destination: chain.depository, from: "", to: "", token, amount: "0.01", shown }
          assert.isUndefined(book.submit({ signer: other.address.toLowerCase(), nonce: `${nonce}`, ...sent }))
        }
        const id = yield* deposit(native, 1_000n, orderId(3))
        const sentAt = Math.floor(book.now() / 1_000)
        book.pass(1_000)
        const scan = yield* scanned(local, cursor)
        assert.deepStrictEqual(scan.orders, [])
        assert.lengthOf((yield* watcher.scanFinal(chain, cursor, scan.head)).deposits, 0)
        book.pass(3 * 24 * HOUR)
        assert.notInclude((yield* scanned(local, scan.cursor)).orders, orderId(3))
        const [found] = (yield* watcher.look(chain, id)) ?? []
        assert.strictEqual(found?.depositId, orderId(3))
        assert.isAbove((found?.block.time ?? 0) - sentAt, PRICE_HOLD_SECONDS + 60)
        const standing = found === undefined ? undefined : yield* watcher.standing(chain, found, "quorum")
        assert.isTrue(standing?._tag === "Included" && standing.final)
      })
    )
  )

  it.live(
    "is found once after the exchange was away for most of an hour, limited requests, or lists it twice",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, map, native, nextNonce, send, setFault } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        const faults: ReadonlyArray<ExchangeFault> = [
          { kind: "away" },
          { kind: "status", status: 429 },
          { kind: "status", status: 500, questions: ["userNonFundingLedgerUpdates"] }
        ]
        for (const [nth, fault] of faults.entries()) {
          const nonce = nextNonce()
          yield* send(native, 1_000n, nonce)
          yield* setFault(fault)
          yield* Effect.flip(scanned(local, cursor))
          book.pass(HOUR - 60_000)
          // The service takes it meanwhile.
          yield* map(orderId(nth + 1), nonce)
          yield* Effect.flip(scanned(local, cursor))
          yield* setFault(undefined)
        }
        book.pass(1_000)
        const twice = (said: unknown): unknown =>
          Array.isArray(said) ? said.flatMap((each: unknown) => [each, each]) : said
        yield* setFault({ kind: "lie", questions: ["userNonFundingLedgerUpdates"], tell: twice })
        assert.deepStrictEqual((yield* scanned(local, cursor)).orders, [orderId(1), orderId(2), orderId(3)])
      })
    )
  )

  it.live(
    "is never gone because an endpoint does not know it, or is away; it is gone where its transaction shows something else",
    onExchange((local) =>
      Effect.gen(function*() {
        const { book, chain, deposit, native, setFault } = local
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(chain)
        yield* deposit(native, 1_000n, orderId(1))
        yield* deposit(native, 3_000n, orderId(2))
        book.pass(1_000)
        const { deposits: [found, another] } = yield* scanned(local, cursor)
        if (found === undefined || another === undefined) return yield* Effect.die(new Error("not found"))
        yield* setFault({
          kind: "lie",
          questions: ["txDetails"],
          tell: () => ({ type: "error", message: "Transaction not found" })
        })
        assert.strictEqual((yield* Effect.flip(watcher.standing(chain, found, "endpoint"))).kind, "behind")
        yield* setFault({ kind: "away" })
        assert.strictEqual((yield* Effect.flip(watcher.standing(chain, found, "endpoint"))).kind, "unreachable")
        yield* setFault(undefined)
        const shown = yield* watcher.standing(chain, found, "endpoint")
        assert.isTrue(shown._tag === "Included" && shown.final)
        const claimed = { ...another, amount: another.amount + 1n }
        assert.strictEqual((yield* watcher.standing(chain, claimed, "endpoint"))._tag, "Gone")
      })
    )
  )
})

describe("an endpoint of exchange A", () => {
  it.live("is not asked beyond its budget of weights", () =>
    Effect.scoped(Effect.gen(function*() {
      const local = yield* startDepositingExchangeA(1, 100)
      const kinds = yield* Effect.gen(function*() {
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(local.chain)
        return yield* Effect.forEach(Array.from({ length: 10 }), () =>
          Effect.match(watcher.scan(local.chain, cursor), {
            onSuccess: () => "read",
            onFailure: ({ kind }) => kind
          }))
      }).pipe(Effect.provide(portsOf(local)))
      assert.deepStrictEqual([kinds[0], kinds.at(-1)], ["read", "refused"])
    })))
})
