/**
 * What follows from a fill that reverts, where its deposit does not stand: nothing is signed for it, neither a refund
 * nor a fallback.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import type { Duration } from "effect"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { Sighting } from "../../../ports/store/orders/Deposits.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { Gas, nothingToOpen } from "../../../ports/chain/Gas.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { PaymentRefused, Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { Address } from "../../domain/chain/Address.ts"
import { Hex, Hex32 } from "../../domain/encoding/Hex.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import { encodeRouterCall } from "../../domain/order/RouterCall.ts"
import { depositOf, transferOf, user } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, beta, chains, priced } from "../../domain/quote/testing/Chains.ts"
import { now } from "../../domain/quote/testing/SignedQuotes.ts"
import { unitsOfSwap } from "../../domain/transfer/payment/CodeUnits.ts"
import type { Transfer, TransferTerms } from "../../domain/transfer/Transfer.ts"
import type { CallRiskKind } from "../../domain/transfer/payment/CallLossRoom.ts"
import { CheckedConfiguration, ConfigurationContradicted } from "../operations/CheckedConfiguration.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { layer } from "./Filling.ts"
import { standingBy } from "../payments/testing/Standing.ts"
import { FillingWorkflow } from "./FillingWorkflow.ts"

const deposit = depositOf({ sender: user })
const refund = `refund:${deposit.onchainId}`
/** Where a reorganisation puts it. */
const moved = Hex32.make(`0x${"9".repeat(64)}`)
const transactionId = TransactionId.make(`0x${"3".repeat(64)}`)
const fill: Extract<PaymentOutcome, { _tag: "Included" }> = {
  _tag: "Included",
  transactionId,
  block: deposit.block,
  succeeded: true,
  gasPaid: 1n,
  final: false
}

/**
 * What becomes of the deposit in the reorganisation, or in the one after it; `refunded`: gone after its refund;
 * `other`: another amount under its id; `taken over`: it is back, after another deposit has taken its payment over.
 */
type Fate = "stays" | "moved" | "gone" | "moved later" | "refunded" | "other" | "taken over"

interface World {
  readonly transfer: Transfer
  fate: Fate
  /** The fill is in a block at first, or only ever as reverted, or is refused when it is tried, or stays. */
  readonly fill: "shown" | "reverted" | "refused" | "final"
  /** Whether its fee is too low once, and what it is replaced by then. */
  stuck?: boolean
  readonly replacedBy: Array<"whole" | "less gas">
  /** Whether another transaction takes its fill's sequence, once it was in a block. */
  usurped?: boolean
  /** Whether its recipient has code when the fill is prepared. */
  readonly runsCode?: true
  /** Whether the cap on reverted calls has room, for senders other than the user's own. */
  room: boolean
  /** Whether the cap on unattested refunds has room. */
  uncapped: boolean
  readonly reserved: Array<readonly [sender: string, usdMicros: bigint]>
  readonly risks: Array<CallRiskKind>
  readonly settled: Array<bigint>
  /** What is recorded of the deposit. The chain always shows `deposit`, or this amount of it where it shows another. */
  recorded: Sighting
  shown: bigint
  /** The app fees that were booked, one movement after the other. */
  readonly booked: Array<bigint>
  /** Sightings that were corrected. */
  readonly corrected: Array<number>
  /** Whether a reorganisation has moved it here from another place, for which its refund was signed. */
  refundedBefore?: boolean
  /** What a restored store has found without a deposit, of the deposit's currency. */
  readonly found: Array<bigint>
  /** For so many looks it is in no block, once it is asked whether the order's other deposit was paid for as much. */
  away?: number
  /** Whether payments since a restored backup are not known yet. */
  readonly held?: boolean
  /** Whether the reorganisation has been. */
  reorganised: boolean
  readonly paid: Map<string, StoredPayment>
  /** Whether a chain contradicts its configuration now. */
  contradicted: () => boolean
  /** Gas that its recipient's code takes when the deposit is judged, and when the fill is signed. */
  greed?: { readonly now: bigint; readonly later: bigint }
  /** What its fill has cost. */
  gasPaid: bigint
  /** In the order in which they were signed. */
  readonly signed: Array<string>
  readonly losses: Array<string>
  /** Their amounts, as they were booked. */
  readonly lost: Array<bigint>
  /** Kinds of losses that are recovered. */
  readonly recovered: Array<string>
  /** Whether the place where it was before is recorded as gone, and whether the chain shows it again. */
  former?: "gone" | "back"
  /** Deposits that were recorded by the filling. */
  readonly noted: Array<string>
  /** The refund is in a block at first, and fails in the one into which a reorganisation puts it. */
  refundFails?: boolean
  /** What happens while its refund is priced. */
  whenPriced?: () => void
  /** Sightings after which it is judged again. */
  readonly again: Array<number>
}

const without: Partial<TransferTerms> = {}
const swapping = { source: "pool", currency: alpha.native.address, amountOut: 1n, minimumOut: 1n } as const

const makeWorld = (fate: Fate, how: World["fill"], terms: Partial<TransferTerms> = without): World => {
  const { permit: _, ...rest } = transferOf().terms
  const transfer = { ...transferOf(), terms: { ...rest, ...terms } }
  return {
    transfer,
    recorded: { deposit, sighting: 1 },
    shown: 1n,
    booked: [],
    corrected: [],
    fate,
    fill: how,
    reorganised: false,
    paid: new Map(),
    signed: [],
    losses: [],
    lost: [],
    recovered: [],
    replacedBy: [],
    found: [],
    gasPaid: 1n,
    contradicted: () => false,
    room: true,
    uncapped: true,
    reserved: [],
    risks: [],
    settled: [],
    noted: [],
    again: []
  }
}

const replacement = (by: World["replacedBy"][number]) => ({
  extra: { holder: user, currency: alpha.native.address, amount: 0n, balance: 0n },
  sign: Effect.succeed({ transactionId, raw: by === "whole" ? "0xff" : "0xee" })
})

/** What was signed for the deposit where it was before. */
const refundBefore = ({ orderId }: Transfer): StoredPayment => ({
  leg: `refund:${moved}`,
  deposit: moved,
  orderId,
  amount: 1n,
  state: "sent",
  transactionId,
  raw: "0x",
  chainId: alpha.id,
  account: user,
  sequence: 0n,
  currency: alpha.native.address,
  variants: [{ transactionId, raw: "0x", signedAt: 0 }]
})

/** In place of a deposit. */
const unknown = Hex32.make(`0x${"8".repeat(64)}`)

const foundWithout = (transfer: Transfer, amount: bigint): StoredPayment => ({
  ...refundBefore(transfer),
  leg: `refund:${unknown}`,
  deposit: unknown,
  amount
})

const ports = (world: World) => {
  const { transfer } = world
  let looks = 0
  /** The other place's filling finds this one gone, and has its payments. */
  const handOver = () => {
    for (const [leg, payment] of world.paid) world.paid.set(leg, { ...payment, deposit: moved })
  }
  return Layer.mergeAll(
    Layer.mock(CheckedConfiguration, {
      assertServing: () =>
        Effect.suspend(() =>
          world.contradicted()
            ? Effect.fail(new ConfigurationContradicted({ message: "chain beta: depository" }))
            : Effect.void
        )
    }),
    Layer.mock(Payments, {
      find: (_, leg) => Effect.sync(() => world.paid.get(leg)),
      standing: standingBy((_, leg) => Effect.sync(() => world.paid.get(leg)), () => world.held === true),
      refuseHeld: () => Effect.void,
      unfinishedRefunds: () =>
        Effect.sync(() => [
          ...(world.refundedBefore === true ? [refundBefore(transfer)] : []),
          ...world.found.map((amount) => foundWithout(transfer, amount))
        ]),
      handOver: (payment, to, _, as) =>
        Effect.sync(() => {
          const refunds = as === undefined ? `refund:${to}` as const : `excess:${to}` as const
          const leg = payment.leg === "fill" ? payment.leg : refunds
          world.paid.set(leg, { ...payment, leg, deposit: to })
          return false
        }),
      signOnce: (leg, by, payment) =>
        Effect.sync(() => {
          const delivery = world.paid.get("fill")
          if (leg.startsWith("refund:") && delivery?.deposit === by && delivery.state !== "reverted") return delivery
          world.signed.push(leg)
          const stored: StoredPayment = {
            leg,
            deposit: by,
            orderId: payment.orderId,
            amount: payment.amount,
            deposited: world.recorded.deposit.amount,
            state: "sent",
            transactionId,
            raw: "0x",
            chainId: payment.chain.id,
            account: user,
            sequence: 0n,
            currency: payment.currency.address,
            variants: [{ transactionId, raw: "0x", signedAt: 0 }]
          }
          world.paid.set(leg, stored)
          return stored
        }),
      replace: (payment, { sign }) =>
        Effect.map(sign, ({ raw }) => {
          world.stuck = false
          world.replacedBy.push(raw === "0xff" ? "whole" : "less gas")
          const { variants: [first] } = payment
          const kept: StoredPayment = { ...payment, variants: [first, { ...first, raw }] }
          world.paid.set(payment.leg, kept)
          return kept
        }),
      setAside: ({ leg }) => Effect.sync(() => void world.paid.delete(leg)),
      recordOutcome: (_, leg, { gasPaid, state }) =>
        Effect.sync(() => {
          const payment = world.paid.get(leg)
          if (payment !== undefined) world.paid.set(leg, { ...payment, state, gasPaid })
          return true
        })
    }),
    Layer.mock(Treasury, {
      prepare: ({ _tag }) => {
        if (world.fill !== "refused" || _tag !== "Fill") {
          return Effect.succeed({
            account: user,
            costs: [],
            chainSequence: 0n,
            mostGas: 5n * 10n ** 14n,
            ...(world.runsCode === undefined ? {} : { runsCode: world.runsCode }),
            ...(world.greed === undefined ? {} : { codeUnits: world.greed.later }),
            sign: () => Effect.die("it is stored without bytes")
          })
        }
        world.reorganised = true
        return Effect.fail(new PaymentRefused({ reason: "reverts" }))
      },
      // Twice the fee: two dollars.
      replacing: () =>
        world.stuck === undefined ? undefined : {
          judge: () =>
            Effect.succeed({
              _tag: "Replace",
              whole: Effect.succeed({ ...replacement("whole"), mostGas: 10n ** 15n }),
              within: Effect.succeed({ ...replacement("less gas"), mostGas: 5n * 10n ** 14n })
            }),
          withoutAuthorizations: () => Effect.die("it carries none")
        },
      outcome: () =>
        Effect.sync(() => {
          if (world.stuck === true) return { _tag: "Pending" as const }
          if (world.usurped === true && looks > 0) {
            world.usurped = false
            return { _tag: "Superseded" as const }
          }
          if (world.refundFails === true && world.signed.includes(refund)) {
            looks += 1
            return looks === 1 ? fill : { ...fill, succeeded: false, final: true }
          }
          // What is paid after the fill goes through, at once and for good.
          if (world.signed.length > 1 || world.signed.includes(refund)) return { ...fill, final: true }
          if (world.fill === "shown" && looks === 0) {
            looks += 1
            return fill
          }
          world.reorganised = true
          return { ...fill, gasPaid: world.gasPaid, succeeded: world.fill === "final", final: true }
        })
    }),
    Layer.mock(DepositWatcher, {
      standing: (_, { onchainId }) =>
        Effect.sync(() => {
          if (onchainId === moved && world.former === "back") {
            return {
              _tag: "Included" as const,
              block: deposit.block,
              confirmations: 1,
              final: false,
              deposits: [{ ...deposit, onchainId: moved }]
            }
          }
          if (onchainId === moved) return { _tag: "Gone" as const }
          const { away, fate } = world
          if (world.reorganised && away !== undefined && away > 0) {
            world.away = away - 1
            return { _tag: "Gone" as const }
          }
          if (world.reorganised && fate === "taken over") handOver()
          const stays = fate === "taken over" || fate === "stays" ||
            (fate === "refunded" && !world.signed.includes(refund))
          if (!world.reorganised || stays) {
            return {
              _tag: "Included" as const,
              block: deposit.block,
              confirmations: 9,
              final: true,
              deposits: [deposit]
            }
          }
          if (fate === "other") {
            return {
              _tag: "Included" as const,
              block: deposit.block,
              confirmations: 9,
              final: true,
              deposits: [{ ...deposit, amount: world.shown }]
            }
          }
          if (fate === "moved later" && looks++ < 20) {
            return {
              _tag: "Included" as const,
              block: deposit.block,
              confirmations: 9,
              final: false,
              deposits: [deposit]
            }
          }
          if (fate !== "gone" && fate !== "refunded") handOver()
          return { _tag: "Gone" as const }
        })
    }),
    Layer.mock(Deposits, {
      find: (onchainId) =>
        Effect.sync(() => {
          if (onchainId === unknown) return undefined
          if (onchainId === moved && world.away !== undefined) world.reorganised = true
          return onchainId === moved ? { deposit: { ...deposit, onchainId: moved }, sighting: 1 } : world.recorded
        }),
      close: () => Effect.void,
      sightAgain: ({ sighting }) =>
        Effect.sync(() => {
          world.again.push(sighting)
          return undefined
        }),
      note: (found) =>
        Effect.sync(() => {
          world.noted.push(...found.map((each) => each.deposit.onchainId))
          return []
        }),
      correct: (sighting, shown) =>
        Effect.sync(() => {
          world.corrected.push(sighting)
          world.recorded = { deposit: shown.deposit, sighting: sighting + 1 }
        })
    }),
    Layer.mock(Transfers, {
      find: () => Effect.succeed(transfer),
      findByOrder: () => Effect.succeed(transfer),
      findByDeposit: () => Effect.sync(() => ({ ...world.recorded, transfer })),
      known: () => Effect.succeed(new Map([[transfer.orderId, transfer.terms]])),
      move: () => Effect.succeed(true)
    }),
    Layer.mock(TransferHistory, {
      deposits: () => Effect.succeed([]),
      goneDeposits: () =>
        Effect.succeed(
          world.former === undefined
            ? []
            : [{ ...deposit, onchainId: moved }, { ...deposit, chainId: beta.id, onchainId: unknown }]
        ),
      paymentsOf: (_, [leg]) =>
        Effect.sync(() =>
          world.found.filter(() => leg === `refund:${unknown}`).map((amount) => ({
            ...foundWithout(transfer, amount),
            onchainId: unknown,
            currency: deposit.currency,
            recipient: transfer.terms.refundTo,
            block: null,
            gasPaid: null
          }))
        )
    }),
    Layer.mock(Losses, {
      book: ({ amount, kind }) =>
        Effect.sync(() => {
          world.lost.push(amount)
          return world.losses.push(kind) > 0
        }),
      recover: (_, kinds) => Effect.sync(() => void world.recovered.push(...kinds))
    }),
    Layer.mock(Exposures, { take: () => Effect.succeed(true) }),
    Layer.mock(InventoryReservations, { note: () => Effect.void, clear: () => Effect.void }),
    Layer.mock(Pauses, { all: Effect.succeed([]), recent: Effect.succeed([]) }),
    Layer.mock(Gas, {
      opening: () => Effect.succeed({ ...nothingToOpen, ...(world.greed === undefined ? {} : { code: "present" }) }),
      ofPayment: () =>
        Effect.sync(() => {
          world.whenPriced?.()
          return world.greed === undefined ? 10n ** 13n : 10n ** 9n * world.greed.now
        }),
      unitsOf: () => Effect.sync(() => world.greed?.now ?? 0n)
    }),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, currency.isNative ? "2000" : "1")) }),
    Layer.mock(Bookings, { value: () => Effect.void }),
    Layer.mock(UnattestedRefunds, { totals: Effect.succeed([]), reserve: () => Effect.sync(() => world.uncapped) }),
    Layer.mock(CallLosses, {
      reserve: ({ kind, sender, usdMicros }) =>
        Effect.sync(() => {
          world.reserved.push([sender, usdMicros])
          world.risks.push(kind)
          return world.room
        }),
      settle: ({ usdMicros }) => Effect.sync(() => world.settled.push(usdMicros))
    }),
    Layer.mock(SponsorHolds, {}),
    Layer.mock(DepositAddresses, {}),
    Layer.mock(UnpaidAddresses, {}),
    Layer.mock(PermitSubmissions, {}),
    Layer.mock(Ledger, {
      post: ({ postings }) =>
        Effect.sync(() =>
          void world.booked.push(postings.reduce((sum, { units }) => units > 0n ? sum + units : sum, 0n))
        )
    }),
    Layer.succeed(SettlementChain, { chain: alpha, token: alpha.native.address }),
    Layer.succeed(Chains, { all: chains }),
    polledFollowers,
    Layer.succeed(Policy, defaultPolicy)
  )
}

/** What becomes of the deposit, and what was signed for it. */
const fillIt = Effect.fnUntraced(
  function*(world: World, stride: Duration.Input = "1 second", sighting: Sighting["sighting"] = 1) {
    yield* TestClock.setTime(now * 1000)
    const filling = yield* Effect.forkChild(
      FillingWorkflow.execute({ onchainId: deposit.onchainId, sighting }).pipe(
        Effect.provide(layer.pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provide(ports(world))))
      )
    )
    // Its own fibers begin whenever they do: time goes by until it has ended.
    while (filling.pollUnsafe() === undefined) {
      yield* TestClock.adjust(stride)
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
    }
    return [yield* Fiber.join(filling), world.signed, world.losses] as const
  }
)

describe("a fill that reverts", () => {
  for (const how of ["shown", "reverted"] as const) {
    it.effect(`refunds its deposit while that still counts, but not when it has moved or is gone: ${how}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* fillIt(makeWorld("stays", how)), ["refunded", ["fill", refund], []])
        for (const fate of ["moved", "gone", "moved later"] as const) {
          assert.deepStrictEqual(yield* fillIt(makeWorld(fate, how)), ["gone", ["fill"], []], fate)
        }
      }))

    it.effect(`falls back while its deposit still counts, but not when it has moved or is gone: ${how}`, () =>
      Effect.gen(function*() {
        const terms = { destinationSwap: { ...swapping, fallback: true } } as const
        assert.deepStrictEqual(yield* fillIt(makeWorld("stays", how, terms)), ["filled", ["fill", "fallback"], []])
        for (const fate of ["moved", "gone", "moved later"] as const) {
          assert.deepStrictEqual(yield* fillIt(makeWorld(fate, how, terms)), ["gone", ["fill"], []], fate)
        }
      }))
  }

  it.effect("in a trial leads to no signature when the deposit is gone by then: no refund and no fallback", () =>
    Effect.gen(function*() {
      for (const terms of [without, { destinationSwap: { ...swapping, fallback: true } } as const]) {
        assert.deepStrictEqual(yield* fillIt(makeWorld("gone", "refused", terms)), ["gone", [], []])
      }
    }))
})

describe("a fill that was paid", () => {
  it.effect("books the loss of a deposit that is gone, but not of one that has moved; both are recorded as gone, because they may reappear", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillIt(makeWorld("gone", "final")), ["gone", ["fill"], ["deposit"]])
      assert.deepStrictEqual(yield* fillIt(makeWorld("moved", "final")), ["gone", ["fill"], []])
    }))

  it.effect("books nothing for a deposit that is back once another one has taken its fill over (QUORUM-11)", () =>
    Effect.gen(function*() {
      const world = makeWorld("taken over", "final", { appFees: [{ recipient: user, bps: 100n }] })
      assert.deepStrictEqual(yield* fillIt(world), ["gone", ["fill"], []])
      assert.deepStrictEqual([world.booked, world.recovered], [[], ["payment"]])
    }))
})

describe("the fill of a deposit at a strict address", () => {
  it.effect("returns the amount above the quote, unless a restored store found that it was returned before (RESTORE-3)", () =>
    Effect.gen(function*() {
      const excess = deposit.amount / 10n
      const strict: Partial<TransferTerms> = {
        amountIn: deposit.amount - excess,
        depositAddress: { address: user, depositor: user, mode: "strict", refundTo: user }
      }
      const own = `excess:${deposit.onchainId}`
      const plain = makeWorld("stays", "final", strict)
      assert.deepStrictEqual(yield* fillIt(plain), ["filled", ["fill", own], []])
      const restored = makeWorld("stays", "final", strict)
      restored.found.push(excess - 1n)
      assert.deepStrictEqual(yield* fillIt(restored), ["filled", ["fill"], []])
      assert.strictEqual(restored.paid.get(own)?.amount, excess - 1n)
    }))
})

describe("a fill that an earlier execution has signed", () => {
  /** What a second execution does about it. The first one was lost. */
  const fillAgain = Effect.fnUntraced(function*(world: World) {
    yield* fillIt(world)
    world.losses.length = 0
    return yield* fillIt(world)
  })

  it.effect("is tracked when its deposit is gone: the loss is booked, and nothing is signed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillAgain(makeWorld("gone", "final")), ["gone", ["fill"], ["deposit"]])
    }))

  it.effect("belongs to another filling once the deposit has moved", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillAgain(makeWorld("moved", "final")), ["gone", ["fill"], []])
    }))
})

describe("a deposit that is to be refunded, and filled meanwhile by the filling of an earlier sighting (REFUND-17)", () => {
  const appFees = [{ recipient: user, bps: 100n }]

  /** The request has ended already, so that its second sighting is refunded. `leg`: what is signed for it meanwhile. */
  const fillMeanwhile = Effect.fnUntraced(
    function*(leg: "fill" | "fallback", fate: Fate, changed: Partial<World> = {}) {
      const made = makeWorld(fate, "final", { appFees })
      const transfer: Transfer = { ...made.transfer, status: "failure", failReason: "AMOUNT_TOO_LOW_TO_REFUND" }
      const world: World = { ...made, recorded: { deposit, sighting: 2 }, transfer, ...changed }
      const { amount, currency, onchainId } = deposit
      world.whenPriced = () => {
        world.reorganised = true
        const paid = { ...refundBefore(transfer), leg, deposit: onchainId, currency, deposited: amount }
        if (!world.paid.has(leg)) world.paid.set(leg, paid)
      }
      const [outcome, signed, losses] = yield* fillIt(world, "1 second", 2)
      assert.deepStrictEqual(signed, [])
      const became: ReadonlyArray<unknown> = [outcome, world.paid.get(leg)?.state, losses, world.booked, world.again]
      return became
    }
  )
  const guarded = ["filled", "included", [], [deposit.amount / 100n], []]

  it.effect("is filled once that fill is final: it is guarded, and its app fees are booked", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillMeanwhile("fill", "stays"), guarded)
    }))

  it.effect("is so, too, when its refund is not worth its gas", () =>
    Effect.gen(function*() {
      const greed = { now: 10n ** 12n, later: 0n }
      assert.deepStrictEqual(yield* fillMeanwhile("fill", "stays", { greed }), guarded)
      assert.deepStrictEqual(yield* fillMeanwhile("fallback", "stays", { greed }), guarded)
    }))

  it.effect("is a loss when it is gone by then", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillMeanwhile("fill", "gone"), ["gone", "included", ["deposit"], [], []])
      assert.deepStrictEqual(yield* fillMeanwhile("fallback", "gone"), ["gone", "included", ["deposit"], [], []])
    }))

  it.effect("is judged again when that fill is reverted for good", () =>
    Effect.gen(function*() {
      const reverted = yield* fillMeanwhile("fill", "stays", { fill: "reverted" })
      assert.deepStrictEqual(reverted, ["gone", "reverted", [], [], [2]])
    }))
})

describe("a payment that an earlier execution took over, and ended before it looked at the deposit that had it (REFUND-14)", () => {
  const takenOver = Effect.fnUntraced(function*(leg: "fill" | "refund", former: "back" | "gone") {
    const world: World = { ...makeWorld("stays", "final"), former }
    const { amount: deposited, currency, onchainId } = deposit
    world.paid.set(leg === "fill" ? leg : refund, {
      ...refundBefore(world.transfer),
      ...{ deposit: onchainId, currency, deposited },
      leg: leg === "fill" ? leg : `refund:${onchainId}`
    })
    const [outcome, signed] = yield* fillIt(world)
    return [outcome, signed, new Set(world.noted)] as const
  })

  it.effect("goes on, and that deposit is recorded where it is back", () =>
    Effect.gen(function*() {
      for (const [leg, outcome] of [["fill", "filled"], ["refund", "refunded"]] as const) {
        assert.deepStrictEqual(yield* takenOver(leg, "back"), [outcome, [], new Set<string>([moved])], leg)
        assert.deepStrictEqual(yield* takenOver(leg, "gone"), [outcome, [], new Set<string>()], leg)
      }
    }))
})

describe("a payment that a restored store knows", () => {
  it.effect("is followed while others are searched for: its sequence is waited for, and nobody else broadcasts it (RESTORE-4)", () =>
    Effect.gen(function*() {
      for (const leg of ["fill", refund] as const) {
        const world: World = { ...makeWorld("stays", "final"), held: true }
        const { amount: deposited, currency, onchainId } = deposit
        const own = { deposit: onchainId, currency, deposited }
        world.paid.set(leg, {
          ...refundBefore(world.transfer),
          ...own,
          leg: leg === "fill" ? leg : `refund:${own.deposit}`
        })
        assert.deepStrictEqual(yield* fillIt(world), [leg === "fill" ? "filled" : "refunded", [], []])
      }
    }))
})

describe("a deposit of an order whose filled deposit is gone", () => {
  /** `deposited`: what the fill was paid for. The row of the deposit that is gone shows what `deposit` has. */
  const worldWith = (deposited: bigint): World => {
    const world = makeWorld("stays", "final")
    const paid = { ...refundBefore(world.transfer), leg: "fill", deposit: moved, deposited } as const
    world.paid.set("fill", paid)
    return world
  }

  it.effect("whose record is lost with the backup has its fill only if that could have been paid for it (RESTORE-5)", () =>
    Effect.gen(function*() {
      const { amountIn, amountOut } = transferOf().terms
      const forgotten = Effect.fnUntraced(function*(amount: bigint, isOf: bigint) {
        const world = makeWorld("other", "final")
        const { deposited: _, ...paid } = refundBefore(world.transfer)
        world.paid.set("fill", { ...paid, leg: "fill", deposit: unknown, amount })
        world.recorded = { deposit: { ...deposit, amount: isOf }, sighting: 1 }
        world.shown = isOf
        world.reorganised = true
        return [(yield* fillIt(world))[0], world.paid.get("fill")?.deposit] as const
      })
      const [own, refunded] = [["filled", deposit.onchainId], ["refunded", unknown]] as const
      assert.deepStrictEqual(yield* forgotten(amountOut, amountIn), own)
      assert.deepStrictEqual(yield* forgotten(amountOut - 1n, amountIn), own)
      // SECURITY: the real deposit comes back, and has the fill still. It is not refunded beside it.
      for (const isOf of [amountIn / 10n, amountIn - 1n, amountIn + 1n]) {
        assert.deepStrictEqual(yield* forgotten(amountOut, isOf), refunded, `${isOf}`)
      }
      assert.deepStrictEqual(yield* forgotten(amountOut - 1n, amountIn / 3n), refunded)
      assert.deepStrictEqual(yield* forgotten(amountOut / 3n, amountIn), refunded)
    }))

  it.effect("has its fill only if that was paid for as much, whatever its row shows by now (REFUND-8)", () =>
    Effect.gen(function*() {
      const same = worldWith(deposit.amount)
      assert.deepStrictEqual(yield* fillIt(same), ["filled", [], []])
      assert.strictEqual(same.paid.get("fill")?.deposit, deposit.onchainId)
      const less = worldWith(deposit.amount * 100n)
      assert.deepStrictEqual(yield* fillIt(less), ["refunded", [refund], []])
      assert.strictEqual(less.paid.get("fill")?.deposit, moved)
    }))
})

describe("a second deposit of an order", () => {
  it.effect("that a reorg removes before it is judged ends as gone, and is judged once it is in a block again", () =>
    Effect.gen(function*() {
      const ended = Effect.fnUntraced(function*(away: number) {
        const world: World = { ...makeWorld("stays", "final"), away }
        const paid = { ...refundBefore(world.transfer), leg: "fill", deposit: moved, deposited: deposit.amount * 2n }
        world.paid.set("fill", { ...paid, leg: "fill" })
        return [yield* fillIt(world), world.paid.get("fill")?.deposit] as const
      })
      assert.deepStrictEqual(yield* ended(Infinity), [["gone", [], []], moved])
      for (const looks of [1, 2, 20]) {
        assert.deepStrictEqual(yield* ended(looks), [["refunded", [refund], []], moved])
      }
    }))
})

describe("a deposit that a reorg has moved here", () => {
  it.effect("takes over the refund that was signed for it before, and is not filled as well", () =>
    Effect.gen(function*() {
      const world = { ...makeWorld("stays", "final"), refundedBefore: true }
      assert.deepStrictEqual(yield* fillIt(world), ["refunded", [], []])
      assert.deepStrictEqual([...world.paid.keys()], [refund])
    }))
})

describe("a deposit that an endpoint misreports", () => {
  const appFees = [{ recipient: user, bps: 100n }]
  const fee = deposit.amount / 100n
  const tenfold = { ...deposit, amount: deposit.amount * 10n }

  it.effect("after its fill has its app fees booked once, as the quorum shows it, and no loss", () =>
    Effect.gen(function*() {
      const world = makeWorld("stays", "final", { appFees })
      assert.deepStrictEqual(yield* fillIt(world), ["filled", ["fill"], []])
      assert.deepStrictEqual(world.booked, [fee])
      world.recorded = { deposit: tenfold, sighting: 2 }
      assert.deepStrictEqual(yield* fillIt(world, "1 second", 2), ["gone", ["fill"], []])
      assert.deepStrictEqual([world.corrected, world.booked], [[2], [fee]])
      assert.deepStrictEqual(yield* fillIt(world, "1 second", 3), ["filled", ["fill"], []])
      // The same movement again changes nothing in the ledger.
      assert.deepStrictEqual(world.booked, [fee, fee])
    }))

  it.effect("is left to its later sighting when the filling of an earlier one restarts", () =>
    Effect.gen(function*() {
      const world = makeWorld("stays", "final", { appFees })
      world.recorded = { deposit: tenfold, sighting: 2 }
      assert.deepStrictEqual(yield* fillIt(world), ["gone", [], []])
      assert.deepStrictEqual([world.corrected, world.booked], [[], []])
    }))

  it.effect("while guarded is not final as filled: only the loss is booked", () =>
    Effect.gen(function*() {
      const world = makeWorld("other", "final", { appFees })
      assert.deepStrictEqual(yield* fillIt(world), ["gone", ["fill"], ["deposit"]])
      assert.deepStrictEqual(world.booked, [])
    }))
})

describe("a deposit that was paid for and comes back under its id", () => {
  /** Lost after its payment, and then in a final block again with this amount, as a new sighting. */
  const comesBack = Effect.fnUntraced(function*(world: World, amount: bigint) {
    assert.deepStrictEqual((yield* fillIt(world))[0], "gone")
    assert.deepStrictEqual([world.lost, world.recovered], [[deposit.amount], ["payment"]])
    world.recorded = { deposit: { ...deposit, amount }, sighting: 2 }
    world.fate = amount === deposit.amount ? "stays" : "other"
    return (yield* fillIt(world, "1 second", 2))[0]
  })

  it.effect("with less recovers only what came back: the rest of its fill, or of its refund, stays lost (REFUND-8)", () =>
    Effect.gen(function*() {
      for (const [fate, how, ended] of [["gone", "final", "filled"], ["refunded", "refused", "refunded"]] as const) {
        const less = makeWorld(fate, how)
        assert.strictEqual(yield* comesBack(less, 1n), ended)
        assert.deepStrictEqual(
          [less.lost, less.recovered],
          [[deposit.amount, deposit.amount - 1n], ["payment", "payment"]]
        )
        const whole = makeWorld(fate, how)
        assert.strictEqual(yield* comesBack(whole, deposit.amount), ended)
        assert.deepStrictEqual(
          [whole.lost, whole.recovered],
          [[deposit.amount], ["payment", "payment", "deposit"]]
        )
      }
    }))

  /** In a final block again with this amount. What was signed for it, and its excess. */
  const grows = Effect.fnUntraced(function*(world: World, amount: bigint, sighting: Sighting["sighting"] = 2) {
    world.recorded = { deposit: { ...deposit, amount }, sighting }
    world.fate = "other"
    world.shown = amount
    const [ended] = yield* fillIt(world, "1 second", sighting)
    return [ended, world.paid.get(`excess:${deposit.onchainId}`)?.amount] as const
  })
  const cost = 5_000_000n

  it.effect("with more returns what it has more, once, beside its fill or its refund (REFUND-9)", () =>
    Effect.gen(function*() {
      for (const [fate, how, ended] of [["gone", "final", "filled"], ["refunded", "refused", "refunded"]] as const) {
        const world = makeWorld(fate, how, how === "final" ? { appFees: [{ recipient: user, bps: 100n }] } : without)
        yield* fillIt(world)
        const [again, excess = 0n] = yield* grows(world, deposit.amount * 2n)
        assert.strictEqual(again, ended)
        assert.isTrue(excess < deposit.amount && excess > deposit.amount - cost, `${excess}`)
        assert.deepStrictEqual(world.booked, how === "final" ? [deposit.amount / 100n] : [], "of what was filled")
        assert.deepStrictEqual(world.lost, [deposit.amount])
        const signed = world.signed.length
        assert.deepStrictEqual(yield* grows(world, deposit.amount * 2n, 3), [ended, excess])
        // Of a further growth operators are told.
        assert.deepStrictEqual(yield* grows(world, deposit.amount * 3n, 4), [ended, excess])
        assert.strictEqual(world.signed.length, signed)
      }
    }))

  it.effect("with no more than the gas of its return keeps that", () =>
    Effect.gen(function*() {
      const world = makeWorld("gone", "final")
      yield* fillIt(world)
      assert.deepStrictEqual(yield* grows(world, deposit.amount + 1n), ["filled", undefined])
    }))

  it.effect("with more than its payment settles returns it only within the cap of unattested refunds", () =>
    Effect.gen(function*() {
      for (const [fate, how, counts] of [["gone", "final", false], ["refunded", "refused", true]] as const) {
        const world = makeWorld(fate, how)
        yield* fillIt(world)
        world.uncapped = false
        const [, excess] = yield* grows(world, deposit.amount * 2n)
        assert.strictEqual(excess === undefined, counts)
      }
    }))

  it.effect("recovers nothing where it is not known what was paid for", () =>
    Effect.gen(function*() {
      const world = makeWorld("gone", "final")
      yield* fillIt(world)
      for (const [leg, { deposited: _, ...payment }] of world.paid) world.paid.set(leg, payment)
      world.recorded = { deposit, sighting: 2 }
      world.fate = "stays"
      assert.strictEqual((yield* fillIt(world, "1 second", 2))[0], "filled")
      assert.deepStrictEqual([world.lost, world.recovered], [[deposit.amount], ["payment", "payment"]])
    }))
})

describe("a refund whose deposit is gone", () => {
  it.effect("is a loss, and its deposit is recorded as gone; when the deposit reappears it has its refund, and the loss is recovered", () =>
    Effect.gen(function*() {
      const world = makeWorld("refunded", "refused")
      assert.deepStrictEqual(yield* fillIt(world), ["gone", [refund], ["deposit"]])
      assert.deepStrictEqual(world.recovered, ["payment"])
      world.fate = "stays"
      assert.deepStrictEqual(yield* fillIt(world), ["refunded", [refund], ["deposit"]])
      assert.deepStrictEqual(world.recovered, ["payment", "payment", "deposit"])
    }))

  it.effect("is tracked when its filling restarts: the loss is booked, and nothing is signed", () =>
    Effect.gen(function*() {
      const world = makeWorld("refunded", "refused")
      yield* fillIt(world)
      world.losses.length = 0
      assert.deepStrictEqual(yield* fillIt(world), ["gone", [refund], ["deposit"]])
    }))
})

describe("a refund that fails in the block into which a reorg has put it (REFUND-10)", () => {
  it.effect("leaves its deposit unrefundable, not refunded, and nothing else is signed until an operator sets it aside", () =>
    Effect.gen(function*() {
      const world: World = { ...makeWorld("stays", "refused"), refundFails: true }
      assert.deepStrictEqual(yield* fillIt(world), ["unrefundable", [refund], []])
      assert.strictEqual(world.paid.get(refund)?.state, "reverted")
      world.recorded = { deposit, sighting: 2 }
      assert.deepStrictEqual(yield* fillIt(world, "1 second", 2), ["unrefundable", [refund], []])
      // As a retry does it.
      world.paid.delete(refund)
      world.refundFails = false
      world.recorded = { deposit, sighting: 3 }
      assert.deepStrictEqual(yield* fillIt(world, "1 second", 3), ["refunded", [refund, refund], []])
    }))

  it.effect("is no loss where its deposit is gone by then", () =>
    Effect.gen(function*() {
      const world: World = { ...makeWorld("refunded", "refused"), refundFails: true }
      assert.deepStrictEqual(yield* fillIt(world), ["gone", [refund], []])
    }))
})

describe("a fill on a chain that contradicts its configuration", () => {
  /**
   * Of an order that is to be paid within ten minutes unless told otherwise; `when` counts the looks at the
   * configuration.
   */
  const contradicted = (when: (look: number) => boolean, seconds = 600): World => {
    const world = makeWorld("stays", "final")
    const { order } = world.transfer
    let looks = 0
    return {
      ...world,
      transfer: { ...world.transfer, order: { ...order, output: { ...order.output, deadline: now + seconds } } },
      contradicted: () => when(looks += 1)
    }
  }

  it.effect("waits until the configuration is corrected, and is refunded if that is too late for its order; nothing is signed meanwhile", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillIt(contradicted((look) => look <= 50, 1_000_000), "5 seconds"), ["filled", [
        "fill"
      ], []])
      assert.deepStrictEqual(yield* fillIt(contradicted(() => true), "5 seconds"), ["refunded", [refund], []])
    }))

  it.effect("that is contradicted only after the verdict is refunded in the same way", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* fillIt(contradicted((look) => look > 1), "5 seconds"), ["refunded", [refund], []])
    }))
})

describe("a fill with calls of its request", () => {
  /** What giving back costs here: ten millionths of an ether. */
  const REFUND_GAS = 20_000n
  /**
   * One that runs a call, whose refund may lack so much for one that reverts, in millionths of a dollar; it can cost a
   * dollar.
   */
  const calling = (how: World["fill"], calls: bigint, room = true): World => {
    const world = makeWorld("stays", how, { refundBounds: { gas: REFUND_GAS, calls } })
    const { order } = world.transfer
    const call = Result.getOrThrow(encodeRouterCall({ to: Address.make(user), data: Hex.make("0x"), value: 0n }))
    const inputs = order.inputs.map((input) => ({
      ...input,
      refunds: input.refunds.map((each) => ({ ...each, minimumAmount: input.payment.amount - REFUND_GAS - calls }))
    }))
    return {
      ...world,
      room,
      transfer: { ...world.transfer, order: { ...order, inputs, output: { ...order.output, calls: [call] } } }
    }
  }
  const ONE_DOLLAR = 1_000_000n

  it.effect("needs no room under the cap when its deposit covers it, and is paid even when the cap is used up", () =>
    Effect.gen(function*() {
      const world = calling("final", ONE_DOLLAR, false)
      assert.deepStrictEqual(yield* fillIt(world), ["filled", ["fill"], []])
      assert.deepStrictEqual([world.reserved, world.settled], [[], [0n]])
    }))

  it.effect("that its deposit does not cover counts against the proven sender, and is refunded when the cap is used up", () =>
    Effect.gen(function*() {
      const some = calling("final", ONE_DOLLAR / 2n)
      assert.deepStrictEqual(yield* fillIt(some), ["filled", ["fill"], []])
      // Nothing of what was reserved is lost when it stands.
      assert.deepStrictEqual([some.reserved, some.settled], [[[user, 500_000n]], [0n]])
      const spent = calling("final", ONE_DOLLAR / 2n, false)
      assert.deepStrictEqual(yield* fillIt(spent), ["refunded", [refund], []])
    }))

  it.effect("that is stuck needs room for the higher fee, and is replaced with less gas when there is none", () =>
    Effect.gen(function*() {
      const roomy = { ...calling("final", ONE_DOLLAR), stuck: true }
      assert.deepStrictEqual(yield* fillIt(roomy), ["filled", ["fill"], []])
      assert.deepStrictEqual([roomy.reserved, roomy.replacedBy], [[[user, ONE_DOLLAR]], ["whole"]])
      const spent = { ...calling("final", ONE_DOLLAR, false), stuck: true }
      assert.deepStrictEqual(yield* fillIt(spent), ["filled", ["fill"], []])
      assert.deepStrictEqual([spent.reserved, spent.replacedBy], [[[user, ONE_DOLLAR]], ["less gas"]])
    }))

  it.effect("that reverts counts only the cost that its deposit does not cover", () =>
    Effect.gen(function*() {
      const gasPaid = 5n * 10n ** 14n
      const covered = calling("reverted", ONE_DOLLAR)
      covered.gasPaid = gasPaid
      yield* fillIt(covered)
      assert.deepStrictEqual([covered.reserved, covered.settled], [[], [0n, 0n]])
      const half = calling("reverted", ONE_DOLLAR / 2n)
      half.gasPaid = gasPaid
      yield* fillIt(half)
      assert.deepStrictEqual([half.reserved, half.settled], [[[user, 500_000n]], [500_000n, 500_000n]])
    }))
})

describe("a fill of native currency (REFUND-11)", () => {
  const toNative = { destinationCurrency: beta.native.address } as const
  /** Half a dollar, of the dollar that it can cost. */
  const HALF = 500_000n
  const COST = { gasPaid: 25n * 10n ** 13n } as const
  const recipient = (how: World["fill"], changes: Partial<World> = {}, terms: Partial<TransferTerms> = {}): World => ({
    ...makeWorld("stays", how, { ...toNative, ...terms }),
    ...changes
  })
  const code = { runsCode: true } as const

  it.effect("to an account without code asks nothing of the cap and says nothing to it, even when it is used up", () =>
    Effect.gen(function*() {
      const world = recipient("final", { room: false })
      assert.deepStrictEqual(yield* fillIt(world), ["filled", ["fill"], []])
      assert.deepStrictEqual([world.reserved, world.settled], [[], []])
    }))

  it.effect("to code that came after the quote counts all that it can cost until it stands, and is refunded without room", () =>
    Effect.gen(function*() {
      const some = recipient("final", code)
      assert.deepStrictEqual(yield* fillIt(some), ["filled", ["fill"], []])
      assert.deepStrictEqual([some.reserved, some.settled], [[[user, 2n * HALF]], [0n]])
      const spent = recipient("final", { ...code, room: false })
      assert.deepStrictEqual(yield* fillIt(spent), ["refunded", [refund], []])
      assert.deepStrictEqual(spent.settled, [0n])
    }))

  it.effect("that reverts loses what it has cost, whether its recipient's code was seen or came before the block", () =>
    Effect.gen(function*() {
      for (const seen of [code, {}]) {
        const world = recipient("reverted", { ...seen, ...COST })
        assert.deepStrictEqual(yield* fillIt(world), ["refunded", ["fill", refund], []])
        assert.deepStrictEqual(world.settled, [HALF])
      }
    }))

  /** Its recipient had code at the quote, so its deposit covers one fill that reverts. */
  const quoted = (how: World["fill"], room: boolean, terms: Partial<TransferTerms> = {}): World => {
    const bounds = { gas: 20_000n, calls: 2n * HALF }
    const world = recipient(how, { ...code, ...COST, room }, { refundBounds: bounds, ...terms })
    const inputs = world.transfer.order.inputs.map((input) => ({
      ...input,
      refunds: input.refunds.map((each) => ({
        ...each,
        minimumAmount: input.payment.amount - bounds.gas - bounds.calls
      }))
    }))
    return { ...world, transfer: { ...world.transfer, order: { ...world.transfer.order, inputs } } }
  }

  it.effect("to code that was quoted needs no room when its deposit covers it, and its refund is charged by the receipt", () =>
    Effect.gen(function*() {
      const stands = quoted("final", false)
      assert.deepStrictEqual(yield* fillIt(stands), ["filled", ["fill"], []])
      assert.deepStrictEqual([stands.reserved, stands.settled], [[], []])
      const reverts = quoted("reverted", false)
      assert.deepStrictEqual(yield* fillIt(reverts), ["refunded", ["fill", refund], []])
      assert.deepStrictEqual([reverts.reserved, reverts.settled], [[], [0n, 0n]])
      // The same in millionths of a dollar: what a refund costs, and half a dollar for the receipt.
      assert.strictEqual(reverts.paid.get(refund)?.amount, deposit.amount - 20_000n - HALF)
    }))

  /** Its recipient had no code at the quote, and has none when the fill is signed. */
  const codeless = (how: World["fill"], changes: Partial<World> = {}, terms: Partial<TransferTerms> = {}): World => {
    const { runsCode: _, ...world } = quoted(how, false, terms)
    return { ...world, ...changes }
  }
  const REVERTED_REFUND = deposit.amount - 20_000n - HALF

  it.effect("that code reverts which came before its block is paid for by its deposit, and refuses nobody before (REFUND-13)", () =>
    Effect.gen(function*() {
      const stands = codeless("final")
      assert.deepStrictEqual(yield* fillIt(stands), ["filled", ["fill"], []])
      assert.deepStrictEqual([stands.reserved, stands.settled], [[], []])
      // Also where its fee rises to ten times what was quoted.
      const dear = codeless("final", { stuck: true })
      assert.deepStrictEqual(yield* fillIt(dear), ["filled", ["fill"], []])
      assert.deepStrictEqual([dear.reserved, dear.replacedBy], [[], ["whole"]])
      const reverts = codeless("reverted")
      assert.deepStrictEqual(yield* fillIt(reverts), ["refunded", ["fill", refund], []])
      assert.deepStrictEqual([reverts.reserved, reverts.settled.at(-1)], [[], 0n])
      assert.strictEqual(reverts.paid.get(refund)?.amount, REVERTED_REFUND)
    }))

  it.effect("whose price no longer holds what it may cost needs room for what its deposit does not cover (REFUND-13)", () =>
    Effect.gen(function*() {
      // At a tenth of the fee that the fill has now.
      const cheap = { refundBounds: { gas: 20_000n, calls: HALF / 5n } } as const
      const fresh = codeless("final", {}, cheap)
      assert.deepStrictEqual(yield* fillIt(fresh), ["filled", ["fill"], []])
      const late = codeless("final", {}, cheap)
      const hoarded = { ...late, transfer: { ...late.transfer, quotedAt: late.transfer.quotedAt - 31_000 } }
      assert.deepStrictEqual(yield* fillIt(hoarded), ["refunded", [refund], []])
      assert.deepStrictEqual(hoarded.reserved, [[user, 2n * HALF - HALF / 5n]])
    }))

  it.effect("is paid less where its recipient's code takes more than was quoted, and never more than it is priced for (PRICE-26)", () =>
    Effect.gen(function*() {
      const paidFor = Effect.fnUntraced(function*(now: bigint, later: bigint) {
        const world: World = {
          ...quoted("final", true, { codeUnits: 40_000n, minimumOut: 1n }),
          greed: { now, later }
        }
        const [ended] = yield* fillIt(world)
        return { ended, amount: world.paid.get("fill")?.amount }
      })
      const asQuoted = yield* paidFor(50_000n, 50_000n)
      assert.deepStrictEqual(asQuoted, { ended: "filled", amount: transferOf().terms.amountOut })
      const dear = yield* paidFor(5_000_000n, 5_000_000n)
      const dearer = yield* paidFor(9_000_000n, 9_000_000n)
      assert.deepStrictEqual([dear.ended, dearer.ended], ["filled", "filled"])
      // Four million units at a thousand millionths of an ether, at 2,000 dollars.
      assert.strictEqual((dear.amount ?? 0n) - (dearer.amount ?? 0n), 4_000_000n * 10n ** 9n)
      // It shows the trial less than it takes.
      assert.deepStrictEqual(yield* paidFor(40_000n, 150_000n), { ended: "refunded", amount: undefined })
      assert.deepStrictEqual(yield* paidFor(5_000_000n, 9_000_000n), { ended: "refunded", amount: undefined })
    }))

  it.effect("releases after a restart what the process before may have reserved", () =>
    Effect.gen(function*() {
      const world = recipient("final", code)
      yield* fillIt(world)
      yield* fillIt(world)
      assert.deepStrictEqual([world.signed, world.settled], [["fill"], [0n, 0n]])
    }))

  it.effect("that is signed again, after it lost its sequence, counts again until it stands", () =>
    Effect.gen(function*() {
      const world = recipient("shown", { ...code, usurped: true })
      assert.deepStrictEqual(yield* fillIt(world), ["filled", ["fill", "fill"], []])
      assert.deepStrictEqual([world.reserved, world.settled], [[[user, 2n * HALF], [user, 2n * HALF]], [0n, 0n]])
    }))

  it.effect("in place of a swap counts with the swap that reverted, for which a deposit that is delivered pays nothing", () =>
    Effect.gen(function*() {
      const fallback = { destinationSwap: { ...swapping, fallback: true } } as const
      const world = quoted("reverted", true, fallback)
      assert.deepStrictEqual(yield* fillIt(world), ["filled", ["fill", "fallback"], []])
      // All of the fill. Of the fill's half dollar and the fallback's dollar, should it revert, the deposit covers one.
      assert.deepStrictEqual(world.reserved, [[user, 2n * HALF], [user, HALF]])
      assert.deepStrictEqual(world.settled, [HALF, HALF])
      // Without room the swap is not tried for such a recipient: the deposit covers what is delivered in its place.
      const spent = quoted("final", false, fallback)
      assert.deepStrictEqual(yield* fillIt(spent), ["filled", ["fallback"], []])
      assert.deepStrictEqual(spent.reserved, [[user, 2n * HALF]])
    }))

  /** Its fill swaps, for an account without code. */
  const codelessSwap = (how: World["fill"], changes: Partial<World>, terms: Partial<TransferTerms> = {}): World => {
    const world = codeless(how, changes, { destinationSwap: swapping, ...terms })
    const { order } = world.transfer
    const call = Result.getOrThrow(encodeRouterCall({ to: beta.depository, data: Hex.make("0x"), value: 0n }))
    return {
      ...world,
      transfer: { ...world.transfer, order: { ...order, output: { ...order.output, calls: [call] } } }
    }
  }

  it.effect("that swaps and reverts is paid for by its deposit as well, also where no code was seen, and refuses nobody (REFUND-13)", () =>
    Effect.gen(function*() {
      const stands = codelessSwap("final", { room: false })
      assert.deepStrictEqual(yield* fillIt(stands), ["filled", ["fill"], []])
      assert.deepStrictEqual(stands.reserved, [])
      const reverts = codelessSwap("reverted", { room: false })
      assert.deepStrictEqual(yield* fillIt(reverts), ["refunded", ["fill", refund], []])
      assert.deepStrictEqual([reverts.reserved, reverts.settled.at(-1)], [[], 0n])
      assert.strictEqual(reverts.paid.get(refund)?.amount, REVERTED_REFUND)
    }))

  it.effect("that swaps with a fallback is tried while such swaps have not used up the cap, and what it loses counts (REFUND-13)", () =>
    Effect.gen(function*() {
      const fallback = { destinationSwap: { ...swapping, fallback: true } } as const
      // An eighth of what it may lose, so that few lose together before the first counts.
      const IN_FLIGHT = 2n * HALF / 8n
      const stands = codelessSwap("final", { room: true }, fallback)
      assert.deepStrictEqual(yield* fillIt(stands), ["filled", ["fill"], []])
      assert.deepStrictEqual([stands.reserved, stands.settled], [[[user, IN_FLIGHT]], [0n]])
      // A signed one asks for the room of losses that have happened.
      const stuck = codelessSwap("final", { room: true, stuck: true }, fallback)
      assert.deepStrictEqual(yield* fillIt(stuck), ["filled", ["fill"], []])
      assert.deepStrictEqual([stuck.reserved, stuck.risks, stuck.replacedBy], [
        [[user, IN_FLIGHT], [user, 2n * IN_FLIGHT]],
        ["swap", "signed-swap"],
        ["whole"]
      ])
      const reverts = codelessSwap("reverted", { room: true }, fallback)
      assert.deepStrictEqual(yield* fillIt(reverts), ["filled", ["fill", "fallback"], []])
      assert.deepStrictEqual(reverts.reserved[0], [user, IN_FLIGHT])
      assert.strictEqual(reverts.settled[0], HALF)
      const spent = codelessSwap("final", { room: false }, fallback)
      assert.deepStrictEqual(yield* fillIt(spent), ["filled", ["fallback"], []])
    }))

  it.effect("that swaps is not made where it takes more than twice what was priced (PRICE-26)", () =>
    Effect.gen(function*() {
      const paidFor = Effect.fnUntraced(function*(later: bigint) {
        const world = codelessSwap("final", { greed: { now: 0n, later } }, { codeUnits: unitsOfSwap(40_000n) })
        return (yield* fillIt(world))[0]
      })
      assert.strictEqual(yield* paidFor(80_000n), "filled")
      assert.strictEqual(yield* paidFor(80_001n), "refunded")
    }))
})
