/** Sweeps of one address where it pays for its own: one currency at a time, however long one waits to be signed. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import { sweepId } from "../../domain/deposit-address/SweepId.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { priced, tron as served, tronUsdt } from "../../domain/quote/testing/Chains.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { makePayments } from "../payments/testing/MemoryPayments.ts"
import { Quoting } from "../quoting/Quoting.ts"
import { Pausing } from "../operations/Pausing.ts"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { layer } from "./Sweeping.ts"
import { SweepWorkflow } from "./SweepWorkflow.ts"

const tron: Chain = { ...served, depositAddresses: { keys: "derived" } }
const orderId = OrderId.make(`0x${"1".repeat(64)}`)
const address = served.depository

const sweepOf = ({ address: currency }: Pick<Currency, "address">): Sweep => {
  const place = { chainId: tron.id, address, currency, number: 0 }
  return {
    ...place,
    id: sweepId(place),
    orderId,
    depositor: address,
    units: 1n,
    queuedAt: 0,
    depositId: orderId,
    state: "queued",
    height: undefined,
    round: 0
  }
}

/** What the sweeps of these tests do not depend on. */
const around = Layer.mergeAll(
  Layer.succeed(Chains, { all: [tron] }),
  Layer.mock(DepositKeys, { find: () => Effect.succeed({ address, generation: 0, number: 0 }) }),
  Layer.mock(DepositWatcher, { head: () => Effect.succeed({ height: 9n, hash: "0x9", time: 9 }) }),
  Layer.mock(Pauses, { all: Effect.succeed([]), recent: Effect.succeed([]) }),
  Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "1")) }),
  Layer.mock(Bookings, { value: () => Effect.void }),
  Layer.mock(DepositAddresses, {}),
  Layer.mock(Deposits, {}),
  Layer.mock(Transfers, {}),
  Layer.mock(TransferHistory, {}),
  Layer.mock(UnpaidAddresses, {}),
  Layer.mock(Quoting, {}),
  Layer.mock(Pausing, {}),
  Layer.mock(ApiKeys, {}),
  Layer.mock(Budgets, {}),
  Layer.mock(SponsorHolds, {}),
  polledFollowers,
  Layer.succeed(Policy, defaultPolicy)
)

const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.promise(() => new Promise((resume) => setImmediate(resume)))
)
const passes = Effect.fnUntraced(function*(seconds: number) {
  for (let each = 0; each < seconds; each += 1) yield* second
})

describe("two sweeps of an address that pays for them", () => {
  for (const reason of ["insufficient-funds", "reverts"] as const) {
    it.effect(`are signed one after the other, also once both have waited to be signed: ${reason} (TRON-25)`, () =>
      Effect.gen(function*() {
        const payments = makePayments()
        const rows = new Map([tron.native, tronUsdt].map((currency) => {
          const sweep = sweepOf(currency)
          return [sweep.id, sweep] as const
        }))
        const ids = [...rows.keys()]
        const state = { refuses: true, isFinal: false }
        const signed: Array<string> = []
        const ends = new Set<string>()
        const ports = Layer.mergeAll(
          payments.layer,
          around,
          Layer.mock(Sweeps, {
            find: (id) => Effect.sync(() => rows.get(id)),
            of: () =>
              Effect.sync(() =>
                [...rows.values()].map(({ currency, height, id, state: at }) => ({
                  currency,
                  queued: at === "queued",
                  unfinal: at === "done" && !ends.has(id),
                  completed: at === "queued" ? 0 : 1,
                  lastHeight: height
                }))
              ),
            open: Effect.sync(() => [...rows.values()].filter((each) => each.state === "queued")),
            unfinal: Effect.sync(() =>
              [...rows.values()].filter((each) => each.state === "done" && !ends.has(each.id))
            ),
            close: (id, _, { height, state: to }) =>
              Effect.sync(() => {
                const row = rows.get(id)
                if (row !== undefined) rows.set(id, { ...row, state: to, height })
              }),
            signed: () => Effect.succeed([]),
            recordFinal: (id) => Effect.sync(() => void ends.add(id))
          }),
          Layer.mock(Treasury, {
            prepare: ({ orderId: id }) =>
              Effect.suspend(() =>
                state.refuses ? Effect.fail(new PaymentRefused({ reason })) : Effect.succeed({
                  account: address,
                  chainSequence: 0n,
                  costs: [],
                  sign: () =>
                    Effect.sync(() => {
                      signed.push(id)
                      return { transactionId: TransactionId.make(id), raw: id }
                    })
                })
              ),
            broadcast: () => Effect.succeed("accepted"),
            outcome: (_, [{ transactionId }]) =>
              Effect.sync((): PaymentOutcome => ({
                _tag: "Included",
                transactionId,
                block: { height: 7n, hash: "0x7", time: 7 },
                succeeded: true,
                gasPaid: 1n,
                final: state.isFinal
              })),
            replacing: () => undefined
          }),
          Layer.mock(AddressBalances, {
            read: (_, __, currencies) =>
              Effect.succeed(currencies.map(() => ({ _tag: "Read" as const, units: 1n, height: 6n }))),
            leftBySweeps: () => Effect.succeed(0n)
          })
        )
        /** How long depends on when each was refused last. */
        const until = (holds: () => boolean) =>
          Effect.whileLoop({ while: () => !holds(), body: () => second, step: () => undefined })
        const engine = yield* Effect.forkChild(
          Effect.gen(function*() {
            yield* Effect.forEach(
              ids,
              (id, at) => Effect.delay(SweepWorkflow.execute({ id, round: 0, attempt: 0 }), Duration.seconds(2 * at)),
              { concurrency: "unbounded" }
            )
          }).pipe(Effect.provide(layer.pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provide(ports))))
        )
        yield* passes(20)
        assert.deepStrictEqual(signed, [])
        state.refuses = false
        yield* until(() => signed.length > 0)
        // The other one waits for it, however long.
        yield* passes(120)
        assert.strictEqual(signed.length, 1)
        state.isFinal = true
        yield* until(() => engine.pollUnsafe() !== undefined)
        assert.deepStrictEqual(new Set(signed), new Set(ids))
        yield* Fiber.join(engine)
      }))
  }
})

describe("a sweep that the chain refuses", () => {
  /** `held`: units by currency. `left`: of the native ones, by earlier sweeps. */
  const refused = (currency: Currency, held: { readonly trx: bigint; readonly usdt: bigint }, left: bigint) =>
    Effect.gen(function*() {
      const sweep = sweepOf(currency)
      const ports = Layer.mergeAll(
        around,
        makePayments().layer,
        Layer.mock(Sweeps, {
          find: () => Effect.succeed(sweep),
          of: () => Effect.succeed([]),
          open: Effect.succeed([]),
          signed: () => Effect.succeed([]),
          close: () => Effect.void,
          fail: () => Effect.void
        }),
        Layer.mock(Treasury, {
          prepare: () => Effect.fail(new PaymentRefused({ reason: "reverts" })),
          replacing: () => undefined
        }),
        Layer.mock(AddressBalances, {
          read: (_, __, currencies) =>
            Effect.succeed(
              currencies.map(({ isNative }) => ({
                _tag: "Read" as const,
                units: isNative ? held.trx : held.usdt,
                height: 6n
              }))
            ),
          leftBySweeps: () => Effect.succeed(left)
        })
      )
      const engine = yield* Effect.forkChild(
        SweepWorkflow.execute({ id: sweep.id, round: 0, attempt: 0 }).pipe(
          Effect.provide(layer.pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provide(ports)))
        )
      )
      // Work outside of the test's clock takes some turns more.
      for (let seconds = 0; seconds < 200 && engine.pollUnsafe() === undefined; seconds += 1) yield* second
      const ended = engine.pollUnsafe()
      yield* Fiber.interrupt(engine)
      return ended === undefined ? "waits" : yield* ended
    })

  it.effect("ends once nothing is there that was paid: what earlier ones have left does not count (TRON-29)", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(tron.native, { trx: 5n, usdt: 0n }, 5n), "void")
      assert.strictEqual(yield* refused(tron.native, { trx: 5n, usdt: 0n }, 4n), "waits")
    }))

  it.effect("ends by what is there of its own currency", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(tronUsdt, { trx: 5n, usdt: 0n }, 0n), "void")
      assert.strictEqual(yield* refused(tronUsdt, { trx: 0n, usdt: 5n }, 0n), "waits")
    }))
})
