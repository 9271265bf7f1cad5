/** The ports `DepositWatcher` and `StepBuilder` on a simulated exchange B: their contracts, and what only exchange B does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { EXECUTED, REJECTED } from "../../../hosts/localnet/nodes/exchange-b/node/State.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { StepBuilder } from "../../../ports/chain/StepBuilder.ts"
import {
  atOnceFinal,
  depositWatcherContract,
  finalScanContract
} from "../../../property-tests/family/DepositWatcher.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import type { Contract } from "../../../property-tests/family/FamilyFixture.ts"
import { stepBuilderContract } from "../../../property-tests/family/Quoting.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { layer as layerSteps } from "../quote/Steps.ts"
import { fixtureOf, startDepositingExchangeB } from "../testing/DepositingExchangeB.ts"
import type { DepositingExchangeB } from "../testing/DepositingExchangeB.ts"
import { layer as layerWatcher } from "./Watcher.ts"

const MINUTE = 60_000
const orderId = (byte: number) => Hex32.make(`0x${byte.toString(16).padStart(2, "0").repeat(32)}`)
const NO_ORDER = orderId(0)

const portsOf = ({ layerRpc }: DepositingExchangeB) =>
  Layer.merge(layerWatcher, layerSteps).pipe(Layer.provide(layerRpc))

const layerContract = (hosts: 1 | 2) =>
  Layer.unwrap(
    Effect.map(startDepositingExchangeB(hosts, 1_000_000), (local) =>
      Layer.merge(Layer.succeed(FamilyFixture, fixtureOf(local)), portsOf(local)))
  )

type Ports = Layer.Success<ReturnType<typeof layerContract>>

const holds = (port: string, hosts: 1 | 2, contracts: ReadonlyArray<Contract<Ports>>) =>
  describe(`${port} of exchange B`, () => {
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

const onExchange = (
  body: (local: DepositingExchangeB) => Effect.Effect<void, unknown, DepositWatcher | StepBuilder | Scope.Scope>,
  perMinute = 1e6
) =>
() =>
  Effect.scoped(
    Effect.flatMap(startDepositingExchangeB(1, perMinute), (local) => Effect.provide(body(local), portsOf(local)))
  )

/** The orders of what a scan finds, and the cursor behind it. */
const scanned = Effect.fnUntraced(function*({ chain }: DepositingExchangeB, cursor: Cursor) {
  const scan = yield* (yield* DepositWatcher).scan(chain, cursor)
  return { ...scan, orders: scan.deposits.map(({ depositId }) => depositId) }
})

const pass = ({ state }: DepositingExchangeB, milliseconds: number) =>
  Effect.sync(() => void (state.offset += milliseconds))

/** Scans until everything is read, as the service does, which records each deposit once. */
const scannedWholly = Effect.fnUntraced(function*(local: DepositingExchangeB, from: Cursor) {
  const found = new Map<Hex32, Hex32>()
  let cursor = from
  for (let scans = 0; scans < 100; scans += 1) {
    const scan = yield* Effect.result(scanned(local, cursor))
    if (scan._tag === "Failure") continue
    if (scan.success.cursor.height > cursor.height) {
      for (const { depositId, onchainId } of scan.success.deposits) found.set(onchainId, depositId)
    }
    cursor = scan.success.cursor
    if (cursor.height === scan.success.head.height) break
  }
  return [...found.values()]
})

describe("a deposit on exchange B", () => {
  it.live(
    "counts once it is executed, whatever the number of its status says before",
    onExchange((local) =>
      Effect.gen(function*() {
        const { chain, deposit, native, state } = local
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(chain)
        state.held = true
        const [late, never] = [
          yield* deposit(native, 1_000n, orderId(1)),
          yield* deposit(native, 2_000n, orderId(2))
        ]
        yield* pass(local, 1_000)
        for (const status of [0, 4, 5, 1]) {
          for (const each of state.sent) each.status = status
          assert.isUndefined(yield* watcher.look(chain, late))
          assert.deepStrictEqual((yield* scanned(local, cursor)).orders, [])
        }
        const passed = yield* scanned(local, cursor)
        yield* pass(local, 5 * MINUTE)
        const later = yield* scanned(local, passed.cursor)
        // It is listed with the time at which it was queued, long before the cursor.
        state.settle(late, EXECUTED)
        state.settle(never, REJECTED)
        yield* pass(local, 1_000)
        const found = yield* scanned(local, later.cursor)
        assert.deepStrictEqual(found.orders, [orderId(1)])
        // Again for a while, should it not have been recorded.
        yield* pass(local, MINUTE)
        const again = yield* scanned(local, found.cursor)
        assert.deepStrictEqual(again.orders, [orderId(1)])
        assert.deepStrictEqual((yield* scanned(local, again.cursor)).orders, [])
        // Another process, which has seen neither.
        yield* Effect.gen(function*() {
          assert.deepStrictEqual((yield* scanned(local, again.cursor)).orders, [orderId(1)])
        }).pipe(Effect.provide(Layer.fresh(portsOf(local))))
      })
    )
  )

  it.live(
    "names an order only where the owner's signature covers its memo",
    onExchange((local) =>
      Effect.gen(function*() {
        const { DEPOSITORY, USER, chain, native, deposit, state } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        yield* deposit(native, 1_000n, orderId(1))
        // Within one owner the exchange asks for no signature.
        state.open(2_000, state.owners.get(DEPOSITORY) ?? "")
        state.credit(2_000, 3, 0, 10_000)
        yield* deposit(native, 2_000n, orderId(2), { from: 2_000, signed: false })
        yield* deposit(native, 3_000n, Hex32.make(`0x${"61".repeat(20)}${"00".repeat(12)}`), { from: USER })
        yield* pass(local, 1_000)
        const { deposits, orders } = yield* scanned(local, cursor)
        assert.deepStrictEqual(orders, [orderId(1), NO_ORDER, NO_ORDER])
        assert.deepStrictEqual(deposits.map(({ amount, depositor }) => [amount, depositor]), [
          [1_000n, asAddress(`${USER}`)],
          [2_000n, asAddress("2000")],
          [3_000n, asAddress(`${USER}`)]
        ])
      })
    )
  )

  it.live(
    "is found among more than a page of others, the depository's own transfers among them, and in each currency",
    onExchange((local) =>
      Effect.gen(function*() {
        const { DEPOSITORY, OTHER, USER, chain, deposit, native, state, token } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        const amounts = Array.from({ length: 105 }, (_, index) => BigInt(index + 1))
        for (const amount of amounts) {
          yield* deposit(native, amount, orderId(3))
          if (amount % 5n === 0n) yield* deposit(native, 1n, NO_ORDER, { from: DEPOSITORY, to: USER })
          if (amount % 20n === 0n) yield* pass(local, 1_000)
        }
        yield* deposit(token, 7n, orderId(4), { from: OTHER })
        yield* pass(local, 1_000)
        assert.isAbove(state.sent.length, 120)
        const orders = yield* scannedWholly(local, cursor)
        assert.lengthOf(orders, amounts.length + 1)
        assert.strictEqual(orders.at(-1), orderId(4))
      })
    )
  )

  it.live(
    "is found once after the exchange was away for an hour, limited requests, or lists it twice",
    onExchange((local) =>
      Effect.gen(function*() {
        const { chain, deposit, native, setFault } = local
        const cursor = yield* (yield* DepositWatcher).head(chain)
        const faults: ReadonlyArray<ExchangeFault> = [
          { kind: "away" },
          { kind: "status", status: 429 },
          { kind: "status", status: 400, questions: ["transfer/history"] }
        ]
        for (const [nth, fault] of faults.entries()) {
          yield* deposit(native, 1_000n, orderId(nth + 1))
          yield* setFault(fault)
          yield* Effect.flip(scanned(local, cursor))
          yield* pass(local, 60 * MINUTE)
          yield* Effect.flip(scanned(local, cursor))
        }
        const twice = ({ transfers, ...page }: { readonly transfers: ReadonlyArray<unknown> }) => ({
          ...page,
          transfers: transfers.flatMap((each) => [each, each])
        })
        yield* setFault({ kind: "lie", questions: ["transfer/history"], tell: (said) => twice(said as never) })
        assert.deepStrictEqual((yield* scanned(local, cursor)).orders, [orderId(1), orderId(2), orderId(3)])
      })
    )
  )

  it.live(
    "is never gone because an endpoint does not know it, or is away; it is gone where its transaction shows something else",
    onExchange((local) =>
      Effect.gen(function*() {
        const { chain, deposit, native, setFault } = local
        const watcher = yield* DepositWatcher
        const cursor = yield* watcher.head(chain)
        yield* deposit(native, 1_000n, orderId(1))
        yield* deposit(native, 3_000n, orderId(2))
        yield* pass(local, 1_000)
        const { deposits: [found, another] } = yield* scanned(local, cursor)
        if (found === undefined || another === undefined) return yield* Effect.die(new Error("not found"))
        const standsAfter = (fault: ExchangeFault | undefined) =>
          Effect.andThen(setFault(fault), Effect.provide(standing, Layer.fresh(portsOf(local))))
        const standing = Effect.flatMap(DepositWatcher, (fresh) => fresh.standing(chain, found, "endpoint"))
        const absent = { code: 21_500, message: "transaction not found" }
        const unknown: ExchangeFault = { kind: "status", status: 400, body: absent, questions: ["tx"] }
        assert.strictEqual((yield* Effect.flip(standsAfter(unknown))).kind, "behind")
        const over: ExchangeFault = {
          kind: "lie",
          questions: ["tx"],
          tell: (said): unknown => JSON.parse(JSON.stringify(said).replace(`"status":${EXECUTED}`, `"status":4`))
        }
        assert.strictEqual((yield* Effect.flip(standsAfter(over))).kind, "behind")
        assert.strictEqual((yield* Effect.flip(standsAfter({ kind: "away" }))).kind, "unreachable")
        const shown = yield* standsAfter(undefined)
        assert.isTrue(shown._tag === "Included" && shown.final)
        const claimed = { ...another, amount: another.amount + 1n }
        assert.strictEqual((yield* watcher.standing(chain, claimed, "endpoint"))._tag, "Gone")
      })
    )
  )
})

describe("an endpoint of exchange B", () => {
  it.live(
    "is not asked beyond its budget of requests",
    onExchange((local) =>
      Effect.gen(function*() {
        const cursor = yield* (yield* DepositWatcher).head(local.chain)
        const kinds = yield* Effect.forEach(Array.from({ length: 30 }), () =>
          Effect.match(scanned(local, cursor), { onSuccess: () => "read", onFailure: ({ kind }) => kind }))
        assert.deepStrictEqual([kinds[0], kinds.at(-1)], ["read", "refused"])
      }), 20)
  )
})

describe("a step on exchange B", () => {
  it.live(
    "asks for the exchange's fee, or the configured one, and for no amount that a JSON number cannot be",
    onExchange((local) =>
      Effect.gen(function*() {
        const { STRANGER, USER, chain, native, state } = local
        state.transferFee = 3_000_000
        const prepare = (user: number, amount: bigint) =>
          Effect.flatMap(StepBuilder, (steps) =>
            steps.prepare({
              origin: chain,
              currency: native,
              amount,
              user: asAddress(`${user}`),
              way: { _tag: "Depository" }
            }))
        assert.strictEqual((yield* prepare(USER, 1_000n)).gas, 3_000_000n)
        assert.strictEqual((yield* prepare(STRANGER, 1_000n)).userBalance, 0n)
        assert.strictEqual((yield* prepare(99_999, 1_000n)).userBalance, 0n)
        const most = BigInt(Number.MAX_SAFE_INTEGER)
        yield* prepare(USER, most)
        const refused = yield* Effect.flip(prepare(USER, most + 1n))
        assert.isTrue(refused._tag === "DepositUnfit" && refused.reason._tag === "AmountNotExact")
        const configured = yield* startDepositingExchangeB(1, 1e6, 5n)
        configured.state.transferFee = 3_000_000
        yield* Effect.gen(function*() {
          assert.strictEqual((yield* prepare(USER, 1_000n)).gas, 5n)
        }).pipe(Effect.provide(Layer.fresh(portsOf(configured))))
      })
    )
  )
})
