/**
 * A payment is signed, then stored, then broadcast, and made once: whatever is killed, replaced, taken back or used by
 * another.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Address } from "../../domain/chain/Address.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { Pause } from "../../domain/pause/Pause.ts"
import { alpha, evmAddress } from "../../domain/quote/testing/Chains.ts"
import { transferOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { replacementBounds } from "../../domain/transfer/payment/ReplacePayment.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import * as Followers from "../following/Followers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { retryForever } from "../polling/RetryForever.ts"
import type { Transient } from "../polling/RetryForever.ts"
import type { DuePayment, IsBorne } from "./DuePayment.ts"
import { guardPayment } from "./guard/GuardPayment.ts"
import { pay } from "./pay/PayUntil.ts"
import type { Payout } from "./Payout.ts"
import { decode, makeChain } from "./testing/MemoryChain.ts"
import { makePayments } from "./testing/MemoryPayments.ts"
import type { Place } from "./testing/MemoryPayments.ts"

const orderId = OrderId.make(`0x${"1".repeat(64)}`)
const onchainId = Hex32.make(`0x${"2".repeat(64)}`)
const payment: Payment = {
  _tag: "Payout",
  chain: alpha,
  currency: alpha.native,
  recipient: Address.make(evmAddress("99")),
  amount: 5n,
  orderId
}
const due: DuePayment = {
  purpose: "fill",
  deposit: { onchainId },
  payment,
  patience: Duration.minutes(10),
  notAfter: undefined,
  shown: undefined
}

const halt: Pause = {
  id: `halt:${alpha.id}`,
  scope: { _tag: "Halt", chainId: alpha.id, height: 1n, expected: "0x1", found: "0x2" },
  reason: "",
  createdAt: 0
}

const makeWorld = () => {
  const [chain, payments] = [makeChain(), makePayments()]
  chain.state.isStored = ({ transactionId }) => payments.holds(transactionId)
  const pauses: Array<Pause> = []
  payments.state.isHalted = () => pauses.length > 0
  // What a process remembers of pauses; what is stored unless a test says otherwise.
  const memory = { pauses: undefined as ReadonlyArray<Pause> | undefined }
  // The request of the payment, as far as a payment looks at it: delayed since a time, once it is.
  let shown: Transfer = transferOf()
  const transfers = Layer.mock(Transfers, {
    find: () => Effect.sync(() => shown),
    move: (_, { at, to }) =>
      Effect.sync(() => {
        const moves = shown.status !== to
        if (moves) shown = { ...shown, status: to, updatedAt: at }
        return moves
      })
  })
  const ports = Layer.mergeAll(
    chain.layer,
    Followers.layer.pipe(Layer.provide(chain.heads)),
    payments.layer,
    transfers,
    Layer.mock(Pauses, { all: Effect.sync(() => pauses), recent: Effect.sync(() => memory.pauses ?? pauses) }),
    Layer.succeed(Policy, defaultPolicy)
  )
  return { chain, memory, payments, pauses, ports }
}
type World = ReturnType<typeof makeWorld>

const alarms = (what: string) =>
  Effect.map(
    Metric.snapshot,
    (all) =>
      all.reduce((sum, { attributes, id, state }) =>
        id === "alarms_total" && attributes?.["what"] === what && "count" in state ? sum + Number(state.count) : sum, 0)
  )

/** Lets time pass, a look at the chain at a time, and has `each` happen in between, until the payment has ended. */
const until = Effect.fnUntraced(function*<A, E>(running: Fiber.Fiber<A, E>, each: () => void, looks = 500) {
  for (let look = 0; look < looks && running.pollUnsafe() === undefined; look += 1) {
    each()
    yield* TestClock.adjust("2 seconds")
  }
  const exit = running.pollUnsafe()
  return exit ?? assert.fail(`it has not ended after ${looks} looks`)
})

/** Lets time pass until so many were sent. */
const untilSent = Effect.fnUntraced(function*({ chain: { sent } }: World, count: number) {
  for (let look = 0; look < 500 && sent.length < count; look += 1) yield* TestClock.adjust("2 seconds")
  assert.isAtLeast(sent.length, count)
})

type Ports = Layer.Success<World["ports"]>

const start = <A, E>(world: World, program: Effect.Effect<A, E, Ports>) =>
  Effect.forkChild(Effect.provide(program, world.ports))

type Paid = Effect.Effect<Payout, Transient, Ports>

const paid = Effect.fnUntraced(function*(world: World, program?: Paid, each?: () => void) {
  return yield* until(yield* start(world, program ?? pay(due)), each ?? (() => world.chain.mine()))
})

const isKilled = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("killed")

describe("a payment", () => {
  it.effect("is signed once under one sequence wherever its process is killed, and only stored bytes are sent", () =>
    Effect.gen(function*() {
      const places: ReadonlyArray<Place> = [
        "before sign",
        "after sign",
        "before sent",
        "after sent",
        "before outcome",
        "after outcome"
      ]
      for (const place of places) {
        const world = makeWorld()
        world.payments.state.killAt = place
        assert.isTrue(isKilled(yield* paid(world)), place)
        for (const again of [1, 2]) {
          assert.deepInclude(yield* yield* paid(world), { _tag: "Paid", gasPaid: 7n }, `${place} ${again}`)
        }
        assert.deepStrictEqual(world.chain.mined().map(({ sequence }) => sequence), [0n], place)
        // What was signed and not stored was never sent.
        assert.lengthOf(world.chain.signed, place === "before sign" ? 2 : 1, place)
        assert.strictEqual(new Set(world.chain.sent.map(({ nth }) => nth)).size, 1, place)
      }
    }))

  it.effect("of two processes at once is signed by one of them", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      const both = [yield* start(world, pay(due)), yield* start(world, pay(due))]
      for (const one of both) assert.isTrue(Exit.isSuccess(yield* until(one, () => world.chain.mine())))
      assert.deepStrictEqual([world.chain.signed.length, world.chain.mined().length, world.payments.all().length], [
        1,
        1,
        1
      ])
    }))

  it.effect("of another deposit is not repeated for this one, and no refund is paid beside it", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      yield* paid(world)
      const other = Hex32.make(`0x${"3".repeat(64)}`)
      const claimed: Exit.Exit<Payout> = Exit.succeed({ _tag: "Unpaid", why: "claimed" })
      assert.deepStrictEqual(yield* paid(world, pay({ ...due, deposit: { onchainId: other } })), claimed)
      assert.deepStrictEqual(yield* paid(world, pay({ ...due, purpose: `refund:${onchainId}` })), claimed)
      assert.lengthOf(world.chain.mined(), 1)
    }))

  it.effect("is not signed while past payments are unknown, while its chain is halted, too late, or without cover", () =>
    Effect.gen(function*() {
      const held = makeWorld()
      held.payments.state.held = true
      const exit = yield* paid(held)
      assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("PaymentsHeld"))
      const halted = makeWorld()
      halted.pauses.push(halt)
      const waiting = yield* start(halted, pay(due))
      yield* TestClock.adjust("1 minute")
      const isWaiting = waiting.pollUnsafe() === undefined && halted.chain.signed.length === 0
      halted.pauses.length = 0
      assert.isTrue(Exit.isSuccess(yield* until(waiting, () => halted.chain.mine())))
      for (
        const [condition, why] of [[{ notAfter: -1 }, "expired"], [{ isDue: Effect.succeed(false) }, "undue"], [{
          isBorne: () => Effect.succeed(false)
        }, "unborne"]] as const
      ) {
        const world = makeWorld()
        assert.deepStrictEqual(yield* paid(world, pay({ ...due, ...condition })), Exit.succeed({ _tag: "Unpaid", why }))
        assert.lengthOf(world.chain.signed, 0)
      }
      assert.isTrue(isWaiting)
    }))

  it.effect("that was signed continues, whatever its conditions are by then", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.payments.state.killAt = "after sign"
      assert.isTrue(isKilled(yield* paid(world)))
      const late = pay({ ...due, notAfter: -1, isDue: Effect.succeed(false), isBorne: () => Effect.succeed(false) })
      assert.isTrue(Exit.isSuccess(yield* paid(world, late)))
      assert.deepStrictEqual([world.chain.signed.length, world.chain.mined().length], [1, 1])
    }))

  it.effect("waits for money up to its limit, and is not signed when a revert is foreseen", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.chain.state.refuses = "insufficient-funds"
      const waiting = yield* start(world, pay(due))
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* Fiber.join(waiting), { _tag: "Unpaid", why: "insufficient-funds" })
      // The source of a swap's routes is waited for in the same way, without an alarm.
      world.chain.state.refuses = "unroutable"
      const told = yield* alarms("treasury-empty")
      const unrouted = yield* start(world, pay(due))
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(unrouted.pollUnsafe())
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* Fiber.join(unrouted), { _tag: "Unpaid", why: "unroutable" })
      assert.strictEqual(yield* alarms("treasury-empty"), told)
      world.chain.state.refuses = "reverts"
      assert.deepStrictEqual(yield* paid(world), Exit.succeed({ _tag: "Unpaid", why: "reverts" }))
      assert.lengthOf(world.chain.signed, 0)
    }))

  it.effect("waits for money equally long in total when its process is killed in between, and starts over after a halt", () =>
    Effect.gen(function*() {
      const shown: DuePayment = { ...due, shown: transferOf().id }
      const world = makeWorld()
      world.chain.state.refuses = "insufficient-funds"
      const killed = yield* start(world, pay(shown))
      yield* TestClock.adjust("6 minutes")
      yield* Fiber.interrupt(killed)
      const again = yield* start(world, pay(shown))
      yield* TestClock.adjust("3 minutes")
      assert.isUndefined(again.pollUnsafe())
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(again.pollUnsafe(), Exit.succeed({ _tag: "Unpaid", why: "insufficient-funds" }))
      // A halt delays the request, and says nothing of the money.
      const halted = makeWorld()
      halted.chain.state.refuses = "insufficient-funds"
      halted.pauses.push(halt)
      const waiting = yield* start(halted, pay(shown))
      yield* TestClock.adjust("30 minutes")
      halted.pauses.length = 0
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(waiting.pollUnsafe(), Exit.succeed({ _tag: "Unpaid", why: "insufficient-funds" }))
    }))

  it.effect("that delivers a part counts as not paid, and raises an alarm (TRON-22)", () =>
    Effect.gen(function*() {
      for (const [part, told] of [[undefined, 0], [3n, 1]] as const) {
        const before = yield* alarms("paid-in-part")
        const world = makeWorld()
        world.chain.state.reverts = true
        world.chain.state.part = part
        const exit = yield* paid(world)
        assert.deepInclude(Exit.isSuccess(exit) ? exit.value : {}, { _tag: "Reverted" })
        assert.strictEqual((yield* alarms("paid-in-part")) - before, told)
      }
    }))

  it.effect("that reverts counts as reverted once final, and one that a reorg drops is sent again unchanged", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.chain.state.reverts = true
      const waiting = yield* start(world, pay(due))
      yield* TestClock.adjust("2 seconds")
      world.chain.mine()
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      world.chain.reorg()
      world.chain.state.reverts = false
      assert.isTrue(Exit.isSuccess(yield* until(waiting, () => world.chain.mine())))
      assert.deepStrictEqual([world.chain.signed.length, new Set(world.chain.sent.map(({ nth }) => nth)).size], [1, 1])
      const reverted = makeWorld()
      reverted.chain.state.reverts = true
      const exit = yield* paid(reverted, pay(due), () => {
        reverted.chain.mine()
        reverted.chain.finalize()
      })
      assert.deepInclude(yield* exit, { _tag: "Reverted", gasPaid: 7n })
      assert.deepStrictEqual(reverted.payments.all().map(({ state }) => state), ["reverted"])
    }))

  it.effect("is guarded through a reorg until it is final, by the same bytes", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      yield* paid(world)
      const guarding = yield* start(world, guardPayment(due))
      yield* TestClock.adjust("2 seconds")
      world.chain.reorg()
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf(world.chain.sent, 2)
      world.chain.mine()
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(guarding.pollUnsafe())
      world.chain.finalize()
      assert.isTrue(Exit.isSuccess(yield* until(guarding, () => undefined)))
      assert.deepStrictEqual([world.chain.signed.length, world.chain.mined().length], [1, 1])
    }))
})

describe("a payment whose process remembers an old answer", () => {
  /** A process that does not know yet that the chain is halted. */
  const haltUnnoticed = (world: World) => {
    world.memory.pauses = []
    world.pauses.push(halt)
  }
  const resume = (world: World) => {
    world.pauses.length = 0
    world.memory.pauses = undefined
  }

  it.effect("is not signed on a halted chain, and not sent if it was signed before", () =>
    Effect.gen(function*() {
      for (const killAt of [undefined, "after sign"] as const) {
        const world = makeWorld()
        world.payments.state.killAt = killAt
        if (killAt !== undefined) assert.isTrue(isKilled(yield* paid(world)))
        haltUnnoticed(world)
        const waiting = yield* start(world, pay(due))
        yield* TestClock.adjust("1 minute")
        assert.isUndefined(waiting.pollUnsafe())
        assert.deepStrictEqual([world.payments.all().length, world.chain.sent.length], [
          killAt === undefined ? 0 : 1,
          0
        ])
        resume(world)
        assert.isTrue(Exit.isSuccess(yield* until(waiting, () => world.chain.mine())))
        assert.deepStrictEqual([world.chain.mined().length, world.payments.all().length], [1, 1])
      }
    }))

  it.effect("is neither recorded, resent nor given up by what a halted chain shows", () =>
    Effect.gen(function*() {
      const shows: ReadonlyArray<(world: World) => void> = [
        ({ chain }) => {
          chain.mine()
          chain.finalize()
        },
        ({ chain }) => {
          chain.usurp()
          chain.finalize()
        },
        ({ chain }) => {
          chain.mine()
          chain.reorg()
        }
      ]
      for (const show of shows) {
        const world = makeWorld()
        const running = yield* start(world, pay(due))
        yield* untilSent(world, 1)
        haltUnnoticed(world)
        show(world)
        yield* TestClock.adjust("1 minute")
        assert.isUndefined(running.pollUnsafe())
        assert.deepStrictEqual(world.payments.all().map(({ state }) => state), ["sent"])
        assert.deepStrictEqual([world.chain.sent.length, world.payments.aside.length], [1, 0])
        resume(world)
        assert.isTrue(Exit.isSuccess(yield* until(running, () => world.chain.mine())))
      }
    }))

  it.effect("waits a little longer where it remembers a halt that has ended", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.memory.pauses = [halt]
      const waiting = yield* start(world, pay(due))
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(world.chain.signed, 0)
      resume(world)
      assert.isTrue(Exit.isSuccess(yield* until(waiting, () => world.chain.mine())))
    }))

  it.effect("that another process has replaced counts by the variant that was mined", () =>
    Effect.gen(function*() {
      const before = yield* alarms("sequence-used-by-another")
      const world = makeWorld()
      const running = yield* start(world, pay(due))
      yield* untilSent(world, 1)
      const [row] = world.payments.all()
      yield* Effect.provide(
        Effect.gen(function*() {
          const [payments, treasury] = [yield* Payments, yield* Treasury]
          const by = treasury.replacing(alpha) ?? assert.fail("no replacements")
          const stored = row ?? assert.fail("nothing is stored")
          const bounds = replacementBounds(alpha.blockTimeMs, 9n)
          world.chain.state.baseFee = 4n
          const judged = yield* by.judge(alpha, { ...stored, since: 0 }, bounds, bounds.stuckMs)
          if (judged._tag !== "Replace") return assert.fail(judged._tag)
          const replacement = yield* judged.whole
          const replaced = yield* payments.replace(stored, replacement, 1)
          yield* treasury.broadcast(alpha, replaced?.variants.at(-1) ?? assert.fail("not replaced"))
        }),
        world.ports
      )
      world.chain.mine()
      world.chain.finalize()
      const exit = yield* until(running, () => undefined)
      assert.isTrue(Exit.isSuccess(exit) && exit.value._tag === "Paid")
      assert.deepStrictEqual([world.chain.mined().map(({ nth }) => nth), world.payments.aside.length], [[2], 0])
      assert.strictEqual((yield* alarms("sequence-used-by-another")) - before, 0)
    }))
})

describe("a payment whose signer", () => {
  /** As a step of a worker: tried again for as long as it takes. */
  const step = retryForever("fill.pay")
  const unreachable = Effect.fail(new SignerUnavailable({ fault: "unreachable" }))

  it.effect("fails is not stored, sent or marked; it is retried, and paid once when the signer is back", () =>
    Effect.gen(function*() {
      for (const fault of ["unreachable", "refused", "foreign-signature"] as const) {
        const world = makeWorld()
        world.chain.state.signer = Effect.fail(new SignerUnavailable({ fault }))
        const working = yield* start(world, step(pay(due)))
        yield* TestClock.adjust("5 minutes")
        assert.isUndefined(working.pollUnsafe(), fault)
        assert.deepStrictEqual([world.payments.all(), world.chain.signed, world.chain.sent], [[], [], []], fault)
        world.chain.state.signer = Effect.void
        const exit = yield* until(working, () => world.chain.mine())
        assert.isTrue(Exit.isSuccess(exit) && exit.value._tag === "Paid", fault)
        // No sequence was lost to what was not signed: everything behind a gap would wait for ever.
        assert.deepStrictEqual(world.chain.mined().map(({ sequence }) => sequence), [0n], fault)
        assert.lengthOf(world.chain.signed, 1, fault)
      }
    }))

  it.effect("is slow waits unsent, and is paid once even if its worker is killed meanwhile and another one starts", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.chain.state.signer = Effect.sleep("4 seconds")
      const killed = yield* start(world, step(pay(due)))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([world.payments.all(), world.chain.sent], [[], []])
      yield* Fiber.interrupt(killed)
      const next = yield* start(world, step(pay(due)))
      yield* TestClock.adjust("3 seconds")
      // The first one's signature would be here by now.
      assert.deepStrictEqual([world.payments.all(), world.chain.signed, world.chain.sent], [[], [], []])
      assert.isTrue(Exit.isSuccess(yield* until(next, () => world.chain.mine())))
      assert.deepStrictEqual([world.chain.signed.length, world.chain.mined().length], [1, 1])
    }))

  it.effect("fails when it is to be replaced stays the one payment, and is replaced when the signer is back", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.chain.state.baseFee = 3n
      const working = yield* start(world, step(pay(due)))
      yield* TestClock.adjust("1 second")
      world.chain.state.signer = unreachable
      yield* TestClock.adjust("30 minutes")
      assert.isUndefined(working.pollUnsafe())
      assert.deepStrictEqual(world.payments.all().map(({ variants }) => variants.length), [1])
      assert.deepStrictEqual(new Set(world.chain.sent.map(({ nth }) => nth)), new Set([1]))
      world.chain.state.signer = Effect.void
      assert.isTrue(Exit.isSuccess(yield* until(working, () => world.chain.mine())))
      assert.lengthOf(world.chain.mined(), 1)
      assert.isAbove(world.chain.signed.length, 1)
    }))
})

describe("a payment that is stuck", () => {
  /** Nothing is mined below the fee. */
  const stuck = (fee = 3n) => {
    const world = makeWorld()
    world.chain.state.baseFee = fee
    return world
  }

  it.effect("is replaced under its own sequence at a higher fee, with nothing else changed, and whichever is mined is the payment", () =>
    Effect.gen(function*() {
      for (const which of ["newest", "first"] as const) {
        const world = stuck()
        const running = yield* start(world, pay(due))
        yield* untilSent(world, 2)
        if (which === "first") world.chain.state.baseFee = 1n
        const exit = yield* until(
          running,
          () => which === "first" ? world.chain.mine(({ nth }) => nth === 1) : world.chain.mine()
        )
        assert.isTrue(Exit.isSuccess(exit))
        const [first, ...others] = world.chain.signed
        assert.isNotEmpty(others)
        for (const other of others) {
          assert.deepStrictEqual({ ...other, fee: first!.fee, nth: 1 }, first)
          assert.isTrue(other.fee > first!.fee)
        }
        const [row] = world.payments.all()
        const [mined, ...more] = world.chain.mined()
        assert.deepStrictEqual(more, [])
        assert.strictEqual(mined?.nth, which === "first" ? 1 : world.chain.signed.length)
        assert.strictEqual(
          row?.transactionId,
          row?.variants.find((variant) => decode(variant).nth === mined?.nth)?.transactionId
        )
      }
    }))

  it.effect("is replaced once wherever its process is killed: a variant that was not stored is never sent, one that was is", () =>
    Effect.gen(function*() {
      for (const place of ["before replace", "after replace"] as const) {
        const world = stuck()
        const running = yield* start(world, pay(due))
        world.payments.state.killAt = place
        assert.isTrue(isKilled(yield* until(running, () => world.chain.mine())))
        assert.isTrue(Exit.isSuccess(yield* paid(world)))
        assert.deepStrictEqual(world.chain.mined().map(({ sequence }) => sequence), [0n])
        const stored = world.payments.all().flatMap(({ variants }) => variants.map((variant) => decode(variant).nth))
        assert.deepStrictEqual(world.chain.sent.filter(({ nth }) => !stored.includes(nth)), [])
        assert.isTrue(stored.length < world.chain.signed.length || place === "after replace")
      }
    }))

  it.effect("is covered as it is first signed and as it is replaced: what each can cost, and whether it runs its recipient's code", () =>
    Effect.gen(function*() {
      for (const runsCode of [true, false]) {
        const world = stuck()
        world.chain.state.runsCode = runsCode
        const asked: Array<readonly [mostGas: bigint | undefined, runsCode: boolean]> = []
        const isBorne: IsBorne = (prepared) =>
          Effect.sync(() => asked.push([prepared.mostGas, prepared.runsCode === true]) > 0)
        assert.isTrue(Exit.isSuccess(yield* paid(world, pay({ ...due, isBorne }))))
        const costs = world.chain.signed.map(({ fee, gas }) => [fee * gas, runsCode] as const)
        assert.deepStrictEqual(asked, costs)
        assert.isAbove(costs.length, 1)
      }
    }))

  it.effect("that strangers' code makes take more than a quarter above what its price holds is not signed (PRICE-26)", () =>
    Effect.gen(function*() {
      for (
        const [codeUnits, taken, isPaid] of [
          [40_000n, 50_000n, true],
          [40_000n, 50_001n, false],
          [0n, 1n, false],
          [undefined, 10n ** 6n, true]
        ] as const
      ) {
        const world = makeWorld()
        Object.assign(world.chain.state, { runsCode: true, codeUnits: taken })
        const found = yield* paid(world, pay({ ...due, codeUnits }))
        assert.isTrue(Exit.isSuccess(found))
        if (Exit.isSuccess(found)) assert.strictEqual(found.value._tag === "Paid", isPaid, `${codeUnits}, ${taken}`)
        assert.lengthOf(world.chain.signed, isPaid ? 1 : 0)
      }
      // Without strangers' code nothing is taken from what its price holds.
      const plain = makeWorld()
      assert.isTrue(Exit.isSuccess(yield* paid(plain, pay({ ...due, codeUnits: 0n }))))
      assert.lengthOf(plain.chain.signed, 1)
    }))

  it.effect("is judged by the account for which it can cost most: strangers' code sees who pays", () =>
    Effect.gen(function*() {
      const asked: Array<bigint | undefined> = []
      const isBorne: IsBorne = ({ mostGas }) => Effect.sync(() => asked.push(mostGas) > 0)
      for (const [dearer, isPaid] of [[undefined, true], [1n, true], [2n, false]] as const) {
        const world = makeWorld()
        Object.assign(world.chain.state, { runsCode: true, codeUnits: 40_000n, dearer })
        yield* paid(world, pay({ ...due, codeUnits: 40_000n }))
        assert.lengthOf(world.chain.signed, isPaid ? 1 : 0)
      }
      const world = makeWorld()
      Object.assign(world.chain.state, { runsCode: true, dearer: 3n })
      yield* paid(world, pay({ ...due, isBorne }))
      assert.deepStrictEqual(asked, [300n])
    }))

  it.effect("keeps its cost when a higher fee is not covered", () =>
    Effect.gen(function*() {
      const world = stuck()
      const borne = pay({ ...due, isBorne: ({ mostGas = 0n }) => Effect.succeed(mostGas <= 100n) })
      assert.isTrue(Exit.isSuccess(yield* paid(world, borne)))
      const [first, ...others] = world.chain.signed
      assert.isNotEmpty(others)
      for (const { fee, gas } of others) assert.isTrue(fee > first!.fee && fee * gas <= first!.fee * first!.gas)
    }))

  it.effect("at its fee limit raises an alarm, and stays the one payment", () =>
    Effect.gen(function*() {
      const before = yield* alarms("payment-stuck")
      const world = stuck(10n ** 9n)
      const running = yield* start(world, pay(due))
      for (let look = 0; look < 100; look += 1) yield* TestClock.adjust("2 seconds")
      assert.isUndefined(running.pollUnsafe())
      assert.strictEqual((yield* alarms("payment-stuck")) - before, 1)
      assert.deepStrictEqual(new Set(world.chain.signed.map(({ sequence }) => sequence)), new Set([0n]))
      world.chain.state.baseFee = 1n
      assert.isTrue(Exit.isSuccess(yield* until(running, () => world.chain.mine())))
    }))
})

describe("a payment that nodes refuse in words that nobody knows", () => {
  it.effect("is sent again and not replaced, raises one alarm after five refusals, and is paid once a node takes it", () =>
    Effect.gen(function*() {
      const before = yield* alarms("payment-refused")
      const raised = Effect.map(alarms("payment-refused"), (count) => count - before)
      const world = makeWorld()
      world.chain.state.refusesToTake = true
      const running = yield* start(world, pay(due))
      for (let times = 1; times <= 20; times += 1) {
        yield* untilSent(world, times)
        assert.strictEqual(yield* raised, world.chain.sent.length >= 5 ? 1 : 0)
        world.chain.mine()
        yield* TestClock.adjust("2 seconds")
      }
      assert.isUndefined(running.pollUnsafe())
      assert.lengthOf(world.chain.signed, 1)
      world.chain.state.refusesToTake = false
      assert.isTrue(Exit.isSuccess(yield* until(running, () => world.chain.mine())))
      assert.deepStrictEqual([world.chain.signed.length, yield* raised], [1, 1])
    }))

  it.effect("is found in a block all the same: the words may say that it is there", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      const running = yield* start(world, pay(due))
      yield* untilSent(world, 1)
      world.chain.state.refusesToTake = true
      assert.isTrue(Exit.isSuccess(yield* until(running, () => world.chain.mine(() => true))))
      assert.lengthOf(world.chain.signed, 1)
    }))

  it.effect("is sent again after ten seconds, and later after a minute, however fast its chain is", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.chain.state.refusesToTake = true
      yield* start(world, pay(due))
      yield* TestClock.adjust("0 seconds")
      const sentAfter: Array<number> = []
      for (let second = 0; second < 300; second += 1) {
        while (sentAfter.length < world.chain.sent.length) sentAfter.push(second)
        world.chain.mine(() => false)
        yield* TestClock.adjust("1 second")
      }
      const rests = sentAfter.slice(1).map((second, at) => second - sentAfter[at]!)
      assert.deepStrictEqual(rests, [10, 10, 10, 10, 10, 20, 40, 60, 60, 60])
    }))

  it.effect("is not sent more often while a block that is not final has it", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      world.chain.state.refusesToTake = true
      const running = yield* start(world, guardPayment(due))
      yield* untilSent(world, 1)
      world.chain.mine(() => true)
      for (let look = 0; look < 50; look += 1) yield* TestClock.adjust("2 seconds")
      assert.isUndefined(running.pollUnsafe())
      assert.isAtMost(world.chain.sent.length, 10)
      world.chain.finalize()
      assert.isTrue(Exit.isSuccess(yield* until(running, () => undefined)))
      assert.lengthOf(world.chain.signed, 1)
    }))
})

describe("a payment that is dead", () => {
  it.effect("is signed again under the next sequence once a final block has used its own for something else, and not before", () =>
    Effect.gen(function*() {
      for (const place of [undefined, "before set aside", "after set aside"] as const) {
        const before = yield* alarms("sequence-used-by-another")
        const world = makeWorld()
        const running = yield* start(world, pay(due))
        yield* untilSent(world, 1)
        world.chain.usurp()
        world.payments.state.killAt = place
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(world.payments.aside, 0)
        world.chain.finalize()
        const exit = yield* until(running, () => world.chain.mine())
        if (place !== undefined) assert.isTrue(isKilled(exit))
        assert.isTrue(Exit.isSuccess(yield* paid(world)))
        assert.deepStrictEqual([world.chain.mined().map(({ sequence }) => sequence), world.payments.aside.length], [[
          1n
        ], 1])
        assert.strictEqual((yield* alarms("sequence-used-by-another")) - before, place === "before set aside" ? 2 : 1)
      }
    }))

  it.effect("that depends on what the chain shows is signed as of now, each time that it is signed, and never else", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      let asked = 0
      const asOfNow = Effect.sync(() => {
        asked += 1
        return { ...payment, recipient: Address.make(evmAddress(`a${asked}`)) }
      })
      const running = yield* start(world, pay({ ...due, asOfNow }))
      yield* untilSent(world, 1)
      world.chain.usurp()
      world.chain.finalize()
      assert.isTrue(Exit.isSuccess(yield* until(running, () => world.chain.mine())))
      assert.deepStrictEqual(world.chain.signed.map(({ to }) => to), [evmAddress("a1"), evmAddress("a2")])
      assert.isTrue(Exit.isSuccess(yield* paid(world, pay({ ...due, asOfNow }))))
      assert.strictEqual(asked, 2)
    }))

  it.effect("that is guarded has had its turn: when signed again, it does not queue", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      yield* paid(world)
      const guarding = yield* start(
        world,
        guardPayment({ ...due, turn: { until: 0, take: Effect.succeed(false) } })
      )
      yield* TestClock.adjust("2 seconds")
      world.chain.reorg()
      world.chain.usurp()
      world.chain.finalize()
      const exit = yield* until(guarding, () => {
        world.chain.mine()
        world.chain.finalize()
      })
      assert.isTrue(Exit.isSuccess(exit) && exit.value._tag === "Paid")
      assert.deepStrictEqual([world.chain.mined().map(({ sequence }) => sequence), world.payments.aside.length], [[
        1n
      ], 1])
    }))

  it.effect("because it expired is signed again without an alarm, but not when another process may have paid it", () =>
    Effect.gen(function*() {
      const before = yield* alarms("sequence-used-by-another")
      const world = makeWorld()
      world.chain.state.expires = true
      world.payments.state.killAt = "after set aside"
      assert.isTrue(isKilled(yield* paid(world, pay(due), () => undefined)))
      world.chain.state.expires = false
      assert.isTrue(Exit.isSuccess(yield* paid(world)))
      assert.deepStrictEqual([world.payments.aside.length, world.payments.all().length], [1, 1])
      assert.strictEqual((yield* alarms("sequence-used-by-another")) - before, 0)
      const held = makeWorld()
      const running = yield* start(held, pay(due))
      yield* TestClock.adjust("2 seconds")
      Object.assign(held.chain.state, { expires: true })
      held.payments.state.held = true
      assert.isTrue(Exit.isFailure(yield* until(running, () => undefined)))
      assert.deepStrictEqual([held.chain.signed.length, held.payments.aside.length], [1, 0])
    }))

  it.effect("is not taken for the one before it, which another process has found expired and signed again", () =>
    Effect.gen(function*() {
      const world = makeWorld()
      const late = Layer.effect(
        Treasury,
        Effect.map(Treasury, (treasury) => ({
          ...treasury,
          outcome: (...asked: Parameters<typeof treasury.outcome>) =>
            Effect.tap(
              treasury.outcome(...asked),
              ({ _tag }) => _tag === "Expired" ? Effect.sleep("5 seconds") : Effect.void
            )
        }))
      )
      const [first, second] = [
        yield* start(world, pay(due)),
        yield* start(world, Effect.provide(pay(due), Layer.provide(late, world.chain.layer)))
      ]
      yield* TestClock.adjust("4 seconds")
      world.chain.expire()
      // The second one hears that the payment is dead when the first one has already paid again.
      yield* TestClock.adjust("8 seconds")
      assert.deepStrictEqual([world.chain.signed.length, world.payments.aside.length], [2, 1])
      for (const running of [first, second]) {
        const exit = yield* until(running, () => world.chain.mine())
        assert.isTrue(Exit.isSuccess(exit) && exit.value._tag === "Paid")
      }
      assert.deepStrictEqual([world.chain.signed.length, world.chain.mined().length, world.payments.aside.length], [
        2,
        1,
        1
      ])
    }))
})
