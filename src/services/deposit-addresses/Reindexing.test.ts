/**
 * A reindex over ports in memory: what it is refused for and in which order, what waits, and what starts the interval.
 */
import type { VmFamily } from "../../domain/chain/VmFamily.ts"
import { families } from "../../domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Prices, PriceUnavailable } from "../../../ports/market/Prices.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { NewSweep, SweepsOfCurrency } from "../../../ports/store/orders/Sweeps.ts"
import { ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../domain/chain/ChainId.ts"
import type { ReindexCaller } from "../../domain/deposit-address/reindex/AdmitReindex.ts"
import { computeDepositAddress } from "../../domain/deposit-address/DepositAddress.ts"
import type { Reading } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import { UsdPrice } from "../../domain/money/Usd.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import * as Reindexing from "./Reindexing.ts"
import type { ReindexRequest } from "./Reindexing.ts"

const hex = (n: number, digits: number) => `0x${n.toString(16).padStart(digits, "0")}` as const
const address = (n: number) => Address.make(hex(n, 40))
const [alphaId, betaId, tronId] = [ChainId.make(1), ChainId.make(2), ChainId.make(3)]

const currencyOf = (chainId: ChainId, symbol: string, n: number) => ({
  chainId,
  address: CurrencyAddress.make(hex(n, 40)),
  symbol,
  name: symbol,
  decimals: 18,
  isNative: n === 0
})

const chainOf = (id: ChainId, family: VmFamily, changes: object) => {
  const native = currencyOf(id, "ETH", 0)
  return {
    id,
    slug: `chain-${id}`,
    name: `Chain ${id}`,
    family: families[family],
    network: "testnet",
    native,
    currencies: [native, currencyOf(id, "USDC", 0xc1)],
    ...changes
  } as unknown as Chain
}

const [alpha, beta, tron] = [
  chainOf(alphaId, "ethereum-vm", { depositAddresses: { factory: address(0xf1) } }),
  chainOf(betaId, "ethereum-vm", {}),
  chainOf(tronId, "tron-vm", {})
]

const [herOrder, anybodysOrder] = [OrderId.make(hex(2, 64)), OrderId.make(hex(3, 64))]
const madeFor = (orderId: OrderId) =>
  Result.getOrThrow(computeDepositAddress({ factory: address(0xf1), orderId, depositor: address(0xd1) }))

const hers: KeptAddress = {
  chainId: alphaId,
  address: madeFor(herOrder),
  mode: "open",
  requestId: RequestId.make(hex(1, 64)),
  orderId: herOrder,
  depositor: address(0xd1),
  factory: undefined,
  currency: CurrencyAddress.make(hex(0, 40)),
  refundTo: undefined,
  apiKeyId: ApiKeyId.make("alice"),
  createdAt: 1
}
const anybodys: KeptAddress = { ...hers, address: madeFor(anybodysOrder), orderId: anybodysOrder, apiKeyId: undefined }

const known = (keyId?: string): ReindexCaller => ({ _tag: "Known", keyId })
const nobody: ReindexCaller = { _tag: "Refused", status: 403, message: "unknown key" }

const read = (units: bigint, height = 9n): Reading => ({ _tag: "Read", units, height })

const world = (state: {
  readings?: ReadonlyArray<Reading>
  sweeps?: ReadonlyArray<SweepsOfCurrency>
  unpriced?: ReadonlyArray<string>
  reading?: Effect.Effect<void, ChainUnavailable>
  isStoreDown?: boolean
  /** What a refund is charged for a sweep, smallest units. */
  firstSweep?: bigint
}) => {
  const notes = new Map<string, number>()
  const queued = new Array<NewSweep>()
  const noteOf = (chainId: ChainId, of: Address, target: ChainId) => `${chainId} ${of} ${target}`
  const ports = Layer.mergeAll(
    Layer.succeed(Chains, Chains.of({ all: [alpha, beta, tron] })),
    Layer.mock(DepositAddresses, {
      find: (_chain, of) =>
        state.isStoreDown === true
          ? Effect.fail(new StoreUnavailable({ operation: "find" }))
          : Effect.succeed([hers, anybodys].find((each) => each.address === of)),
      reindexedAt: (chainId, of, target) => Effect.sync(() => notes.get(noteOf(chainId, of, target))),
      noteReindex: (chainId, of, target, last, at) =>
        Effect.sync(() => {
          if (notes.get(noteOf(chainId, of, target)) !== last) return false
          notes.set(noteOf(chainId, of, target), at)
          return true
        }),
      forgetReindex: (chainId, of, target, last, at) =>
        Effect.sync(() => {
          const key = noteOf(chainId, of, target)
          if (notes.get(key) !== at) return
          if (last === undefined) notes.delete(key)
          else notes.set(key, last)
        })
    }),
    Layer.mock(AddressBalances, {
      read: () => Effect.as(state.reading ?? Effect.void, state.readings ?? [read(0n), read(0n)])
    }),
    Layer.mock(Gas, { ofPayment: () => Effect.succeed(50n), ofSweep: () => Effect.succeed(state.firstSweep ?? 50n) }),
    Layer.mock(Prices, {
      priceOf: (currency) =>
        state.unpriced?.includes(currency.symbol) === true
          ? Effect.fail(new PriceUnavailable({ symbol: currency.symbol }))
          : Effect.succeed({ currency, price: UsdPrice(10n ** 36n) })
    }),
    Layer.mock(Sweeps, {
      of: () => Effect.succeed(state.sweeps ?? []),
      queue: (sweep) => Effect.sync(() => queued.push(sweep) > 0)
    })
  )
  const ask = (request: Partial<ReindexRequest> = {}, caller: ReindexCaller = known()) =>
    Effect.flatMap(
      Reindexing.Reindexing,
      ({ reindex }) => reindex({ chainId: alphaId, depositAddress: anybodys.address, ...request }, caller)
    )
  /** The status, or what is answered: `triggered queued waiting checked failed`. */
  const answer = (request?: Partial<ReindexRequest>, caller?: ReindexCaller) =>
    ask(request, caller).pipe(Effect.match({
      onFailure: (failure) => failure._tag === "ReindexRefused" ? `${failure.status}` : failure._tag,
      onSuccess: ({ checkedCurrencies, failedCurrencies, queue, triggered, waiting }) =>
        [triggered.length, queue.length, waiting.length, checkedCurrencies, failedCurrencies].join(" ")
    }))
  return { answer, ask, layer: Layer.provide(Reindexing.layer, ports), notes, queued }
}

const inWorld = <E>(
  state: Parameters<typeof world>[0],
  test: (of: ReturnType<typeof world>) => Effect.Effect<void, E, Reindexing.Reindexing>
) => {
  const of = world(state)
  return Effect.andThen(TestClock.setTime(1_000_000), test(of)).pipe(Effect.provide(of.layer))
}

describe("of several refusals the first in the order 400, 404, 403, 429 is returned", () => {
  it.effect("whatever else would be refused", () =>
    inWorld({}, ({ answer }) =>
      Effect.gen(function*() {
        const unknown = hex(77, 40)
        const cases: ReadonlyArray<readonly [string, Partial<ReindexRequest>, ReindexCaller]> = [
          ["400", { depositAddress: "0x12" }, nobody],
          ["400", { chainId: ChainId.make(9) }, nobody],
          ["400", { depositAddress: unknown, targetChainId: ChainId.make(9) }, nobody],
          ["400", { depositAddress: unknown, targetChainId: tronId }, nobody],
          ["400", { depositAddress: unknown, targetChainId: betaId }, nobody],
          ["400", { depositAddress: hers.address, targetChainId: betaId }, known("bob")],
          ["400", { depositAddress: unknown, currency: hex(0xc9, 40) }, nobody],
          ["404", { depositAddress: unknown }, nobody],
          ["403", { depositAddress: hers.address }, nobody],
          ["403", {}, nobody],
          ["0 0 0 2 0", { depositAddress: hers.address }, known("alice")],
          ["429", { depositAddress: hers.address }, known("alice")],
          ["403", { depositAddress: hers.address }, known("bob")],
          ["400", { depositAddress: hers.address, targetChainId: betaId }, known("alice")],
          ["503", {}, { _tag: "Refused", status: 503, message: "no store" }]
        ]
        for (const [wanted, request, caller] of cases) {
          assert.strictEqual(
            yield* answer(request, caller),
            wanted,
            `${JSON.stringify(request)} ${JSON.stringify(caller)}`
          )
        }
      })))

  it.effect("and a refusal by the request alone needs no store", () =>
    inWorld({ isStoreDown: true }, ({ answer }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer({ targetChainId: betaId }), "400")
        assert.strictEqual(yield* answer({ currency: "0x12" }), "400")
        assert.strictEqual(yield* answer(), "StoreUnavailable")
      })))
})

describe("a balance that was read", () => {
  it.effect("is swept when it is worth its gas", () =>
    inWorld({ readings: [read(100n), read(99n)] }, ({ answer, queued }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer(), "2 1 1 2 0")
        assert.deepStrictEqual(queued.map(({ units }) => units), [100n])
      })))

  it.effect("waits while its refund would be charged more for its sweep than half of it, whatever its sweep costs", () =>
    inWorld({ readings: [read(199n), read(200n)], firstSweep: 100n }, ({ answer, queued }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer(), "2 1 1 2 0")
        assert.deepStrictEqual(queued.map(({ units }) => units), [200n])
      })))

  it.effect("in the block of its last sweep counts as checked: 200, and nothing is triggered", () =>
    inWorld({
      readings: [read(100n, 7n)],
      sweeps: [{
        currency: CurrencyAddress.make(hex(0, 40)),
        queued: false,
        unfinal: false,
        completed: 1,
        lastHeight: 7n
      }]
    }, ({ answer, queued }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer({ currency: hex(0, 40) }), "0 0 0 1 0")
        assert.lengthOf(queued, 0)
        assert.strictEqual(yield* answer({ currency: hex(0, 40) }), "429")
      })))

  it.effect("waits while the price of its currency or of its gas is missing", () =>
    Effect.gen(function*() {
      const readings = [read(10n ** 18n), read(10n ** 18n)]
      yield* inWorld({ readings, unpriced: ["USDC"] }, ({ answer }) =>
        Effect.map(answer(), (said) => {
          assert.strictEqual(said, "2 1 1 2 0")
        }))
      yield* inWorld({ readings, unpriced: ["ETH"] }, ({ answer, queued }) =>
        Effect.map(answer(), (said) => {
          assert.strictEqual(said, "2 0 2 2 0")
          assert.lengthOf(queued, 0)
        }))
    }))
})

describe("the interval is not started", () => {
  it.effect("by a request that could read no balance", () =>
    inWorld({ readings: [{ _tag: "Unread" }, { _tag: "Unread" }] }, ({ answer, notes }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer(), "503")
        assert.strictEqual(notes.size, 0)
      })))

  it.effect("by a client that disconnects before its answer", () =>
    inWorld({ reading: Effect.never }, ({ ask, notes, queued }) =>
      Effect.gen(function*() {
        const asking = yield* Effect.forkChild(ask())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(notes.size, 1)
        yield* Fiber.interrupt(asking)
        assert.strictEqual(notes.size, 0)
        assert.lengthOf(queued, 0)
      })))

  it.effect("by a defect, nor is an earlier one forgotten", () =>
    inWorld({ reading: Effect.die("a defect") }, ({ ask, notes }) =>
      Effect.gen(function*() {
        notes.set(`${alphaId} ${anybodys.address} ${alphaId}`, 5)
        yield* Effect.exit(ask())
        assert.deepStrictEqual([...notes.values()], [5])
      })))

  it.effect("by the second of two concurrent requests", () =>
    inWorld({ reading: Effect.sleep("1 second") }, ({ answer, notes }) =>
      Effect.gen(function*() {
        const both = yield* Effect.forkChild(Effect.all([answer(), answer()], { concurrency: 2 }))
        yield* TestClock.adjust("2 seconds")
        assert.sameMembers(yield* Fiber.join(both), ["0 0 0 2 0", "429"])
        assert.strictEqual(notes.size, 1)
      })))

  it.effect("but it is by an answer, though the chain did not answer for all", () =>
    inWorld({ readings: [read(0n), { _tag: "Unread" }] }, ({ answer }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer(), "0 0 0 1 1")
        assert.strictEqual(yield* answer(), "429")
      })))

  it.effect("by a chain that does not answer at all", () =>
    inWorld({
      reading: Effect.fail(
        new ChainUnavailable({ chain: ChainSlug.make("alpha"), operation: "balances", kind: "timeout" })
      )
    }, ({ answer, notes }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* answer(), "503")
        assert.strictEqual(notes.size, 0)
      })))
})
