/** A permit is judged again right before it is signed: what would only be given back by then is never submitted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { PermitSubmission } from "../../../ports/store/orders/PermitSubmissions.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import { Hex } from "../../domain/encoding/Hex.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Pause } from "../../domain/pause/Pause.ts"
import { permitId } from "../../domain/permit/PermitId.ts"
import { AMOUNT, depositOf, refundTo, transferOf, user } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, chains, evmAddress, priced } from "../../domain/quote/testing/Chains.ts"
import { now } from "../../domain/quote/testing/SignedQuotes.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { PermitWorkflow } from "./PermitWorkflow.ts"
import { standingBy } from "../payments/testing/Standing.ts"
import { layer } from "./SubmittingPermits.ts"

interface World {
  readonly transfer: Transfer
  readonly deposits: ReadonlyArray<Deposit>
  readonly pauses: ReadonlyArray<Pause>
  readonly chains: ReadonlyArray<Chain>
  /** What a dollar of the origin is worth on it. */
  readonly price: string
  funded: boolean
  /** Whether the chain carries it out. */
  readonly succeeds: boolean
  signed: number
  /** Micro-dollars that are said to be lost. */
  spent: bigint | undefined
  closed: string | undefined
}

const makeWorld = (changes: Partial<World> = {}): World => ({
  transfer: transferOf(),
  deposits: [],
  pauses: [],
  chains,
  price: "1",
  funded: true,
  succeeds: true,
  signed: 0,
  spent: undefined,
  closed: undefined,
  ...changes
})

const id = permitId(transferOf().orderId, 0)

const block = { height: 1n, hash: "0x", time: now }

const ports = (world: World) => {
  const submission: PermitSubmission = {
    id,
    orderId: world.transfer.orderId,
    number: 0,
    chainId: alpha.id,
    signature: Hex.make("0x12"),
    queuedAt: now * 1000,
    state: "queued",
    round: 0
  }
  const transactionId = TransactionId.make(`0x${"3".repeat(64)}`)
  let stored: StoredPayment | undefined
  return Layer.mergeAll(
    Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
    Layer.mock(PermitSubmissions, {
      find: () => Effect.succeed(submission),
      spend: (_, usdMicros) =>
        Effect.sync(() => {
          world.spent = usdMicros
        }),
      close: (_, __, state) =>
        Effect.sync(() => {
          world.closed = state
        }),
      recordFinal: () => Effect.void,
      fail: () => Effect.void
    }),
    Layer.mock(Payments, {
      find: (_, leg) => Effect.sync(() => leg === "permit" ? stored : undefined),
      standing: standingBy((_, leg) => Effect.sync(() => leg === "permit" ? stored : undefined)),
      refuseHeld: () => Effect.void,
      signOnce: (leg, deposit, payment) =>
        Effect.sync(() => {
          world.signed += 1
          stored = {
            leg,
            deposit,
            orderId: payment.orderId,
            amount: 0n,
            state: "sent",
            transactionId,
            raw: "0x",
            chainId: alpha.id,
            account: user,
            sequence: 0n,
            currency: alpha.native.address,
            variants: [{ transactionId, raw: "0x", signedAt: 0 }]
          }
          return stored
        }),
      recordOutcome: () => Effect.succeed(true)
    }),
    Layer.mock(Treasury, {
      prepare: () =>
        world.funded
          ? Effect.succeed({
            account: user,
            costs: [],
            chainSequence: 0n,
            sign: () => Effect.die("it is stored without bytes")
          })
          : Effect.fail(new PaymentRefused({ reason: "insufficient-funds" })),
      replacing: () => undefined,
      outcome: () =>
        Effect.succeed({
          _tag: "Included" as const,
          transactionId,
          block,
          succeeded: world.succeeds,
          gasPaid: 10n ** 15n,
          final: true
        })
    }),
    Layer.mock(Transfers, {
      findByOrder: () => Effect.succeed(world.transfer),
      find: () => Effect.succeed(world.transfer)
    }),
    Layer.mock(TransferHistory, {
      deposits: () =>
        Effect.succeed(world.deposits.map((deposit) => ({ deposit, state: "open" as const, isHeld: false })))
    }),
    Layer.mock(Pauses, { all: Effect.sync(() => world.pauses), recent: Effect.sync(() => world.pauses) }),
    Layer.mock(Gas, {
      opening: () => Effect.succeed(nothingToOpen),
      ofPayment: () => Effect.succeed(10n ** 13n),
      ofPermit: () => Effect.succeed(10n ** 13n)
    }),
    Layer.mock(Prices, {
      priceOf: (currency) =>
        Effect.succeed(priced(currency, currency.isNative ? "2000" : currency.chainId === alpha.id ? world.price : "1"))
    }),
    Layer.mock(Bookings, { value: () => Effect.void }),
    Layer.succeed(Chains, { all: world.chains }),
    polledFollowers,
    Layer.succeed(Policy, defaultPolicy)
  )
}

const submit = (world: World) =>
  PermitWorkflow.execute({ id, attempt: 0, round: 0 }).pipe(
    Effect.provide(layer.pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provide(ports(world))))
  )

const pause = (scope: Pause["scope"]): Pause => ({ id: "a pause", scope, reason: "", createdAt: 0 })

/** Later than what the quoted price holds for. */
const LATER = 60

describe("the submission of a permit", () => {
  it.effect("is signed while its deposit would be filled: at the quoted price, or at today's within the minimum", () =>
    Effect.gen(function*() {
      for (const [later, price] of [[1, "1"], [1, "0.5"], [LATER, "1"], [LATER, "1.1"]] as const) {
        yield* TestClock.setTime((now + later) * 1000)
        const world = makeWorld({ price })
        assert.strictEqual(yield* submit(world), "done", `${later} ${price}`)
        assert.deepStrictEqual([world.signed, world.closed], [1, "done"])
      }
    }))

  it.effect("is not signed for a deposit that would be refunded, is paused, or goes through a contract that is no longer configured", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [string, number, Partial<World>]> = [
        ["its price has gone", LATER, { price: "0.5" }],
        ["its ttl is over", 20, { transfer: transferOf({ ttlSeconds: 10 }) }],
        ["its order is over", 8 * 86_400, {
          transfer: transferOf({ permit: { ...transferOf().terms.permit!, deadline: now + 9 * 86_400 } })
        }],
        ["it has a deposit", 1, { deposits: [depositOf({ sender: user })] }],
        ["somebody has paid it", 1, { deposits: [depositOf({ sender: refundTo })] }],
        ["it does not wait", 1, { transfer: transferOf({}, { status: "pending" }) }],
        ["its chain is paused", 1, {
          pauses: [pause({ _tag: "Chain", chainId: transferOf().terms.destinationChainId })]
        }],
        ["its currency is paused", 1, {
          pauses: [pause({ _tag: "Currency", chainId: alpha.id, currency: transferOf().terms.originCurrency })]
        }],
        ["another forwarder", 1, {
          chains: chains.map((each) =>
            each.id === alpha.id ? { ...each, permits: { forwarder: evmAddress("f9") } } : each
          )
        }],
        ["no such currency", 1, {
          chains: chains.map((each) => each.id === alpha.id ? { ...each, currencies: [each.native] } : each)
        }]
      ]
      for (const [why, later, changes] of cases) {
        yield* TestClock.setTime((now + later) * 1000)
        const world = makeWorld(changes)
        assert.strictEqual(yield* submit(world), "void", why)
        assert.deepStrictEqual([world.signed, world.closed], [0, "void"], why)
      }
    }))

  it.effect("a stranger's dust does not stop others from being served", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime((now + 1) * 1000)
      const world = makeWorld({ deposits: [depositOf({ amount: AMOUNT / 1_000n })] })
      assert.strictEqual(yield* submit(world), "done")
    }))

  it.effect("that reverts is booked by the value of its gas; one that succeeds is not booked", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime((now + 1) * 1000)
      const [reverted, done] = [makeWorld({ succeeds: false }), makeWorld()]
      assert.deepStrictEqual([yield* submit(reverted), yield* submit(done)], ["void", "done"])
      assert.deepStrictEqual([reverted.spent, done.spent], [2_000_000n, undefined])
    }))

  it.effect("is judged once more after it has waited for gas", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now * 1000)
      const world = makeWorld({ funded: false, transfer: transferOf({ ttlSeconds: 60 }) })
      const waiting = yield* Effect.forkChild(submit(world))
      yield* TestClock.adjust("30 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("40 seconds")
      world.funded = true
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "void")
      assert.strictEqual(world.signed, 0)
    }))
})
