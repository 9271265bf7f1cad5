/**
 * The property of swaps that fall back when they revert, at nobody's cost but the solver's (REFUND-13), over sequences of
 * any actors' swaps, strangers' code, fees and outcomes, on a real store. In any 24 hours swaps and code together cost at
 * most nine times REVERTED_CALLS_USD, by what their first transactions could cost, and one sender's half of eight times
 * it and a tenth. While nothing has been lost, no fee stops what is signed, no swap is refused by its size alone, and
 * neither swaps nor code in flight take the other's room. Assumed: a fill is in a block within a day.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as fc from "fast-check"
import type { CallLosses } from "../../../../ports/store/ledger/CallLosses.ts"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Prices } from "../../../../ports/market/Prices.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { maxOf, minOf } from "../../../../src/domain/money/Rounding.ts"
import { beta } from "../../../../src/domain/quote/testing/Chains.ts"
import type { Transfer } from "../../../../src/domain/transfer/Transfer.ts"
import type { CallRisk } from "../../../../src/services/filling/losses/RevertedCallLoss.ts"
import { defaultPolicy, Policy } from "../../../../src/services/operations/Policy.ts"
import { layerLosses, raiseFill, riskOf, riskyDeposit, riskyTransfer, running } from "./testing/RiskyFills.ts"
import type { InFlight } from "./testing/RiskyFills.ts"
import { clockAt } from "../../testing/ToldClock.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SENDERS = 12
/** `code`: an order without bounds that pays a recipient with code, so that its deposit covers nothing. */
type Kind = "code" | "swap"

type Move =
  | { readonly _tag: "sign"; readonly kind: Kind; readonly sender: number; readonly most: bigint }
  | { readonly _tag: "raise"; readonly which: number; readonly factor: bigint }
  | { readonly _tag: "restart"; readonly which: number }
  | { readonly _tag: "end"; readonly which: number; readonly quarters: bigint }
  | { readonly _tag: "wait"; readonly hours: number }

const which = fc.nat({ max: 30 })
/** Signatures weigh more in some worlds, so that much is in flight before anything ends. */
const moveOf = (signing: number): fc.Arbitrary<Move> =>
  fc.oneof(
    {
      weight: signing,
      arbitrary: fc.record({
        _tag: fc.constant("sign" as const),
        kind: fc.constantFrom<Kind>("swap", "swap", "swap", "code"),
        sender: fc.nat({ max: SENDERS - 1 }),
        most: fc.oneof(fc.bigInt(1n, 100n), fc.bigInt(1n, 1_200n), fc.bigInt(1n, 12_000n))
      })
    },
    { weight: 3, arbitrary: fc.record({ _tag: fc.constant("raise" as const), which, factor: fc.bigInt(2n, 9n) }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("restart" as const), which }) },
    { weight: 3, arbitrary: fc.record({ _tag: fc.constant("end" as const), which, quarters: fc.bigInt(0n, 4n) }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) }) }
  )

const swapTerms = {
  destinationSwap: {
    source: "uniswap-v3",
    currency: beta.native.address,
    amountOut: 1n,
    minimumOut: 1n,
    fallback: true
  },
  refundBounds: { gas: 0n, calls: 1n }
} as const

const transferOf = (n: number, kind: Kind): Transfer =>
  riskyTransfer({
    n,
    amountIn: 1n,
    leastRefund: 1n,
    hasCalls: kind === "swap",
    terms: kind === "swap" ? swapTerms : {}
  })

interface Signed extends InFlight {
  readonly kind: Kind
  readonly sender: number
  readonly signedAt: number
  /** What its first transaction could cost. */
  readonly first: bigint
  risk: CallRisk
  /** Undefined while it is in flight. */
  ended: { readonly at: number; readonly lost: bigint } | undefined
}

const runs = (kind: Kind) => kind === "code"

const sum = (all: ReadonlyArray<bigint>) => all.reduce((total, each) => total + each, 0n)

let worlds = 0

/** What was signed, and how often a swap was refused or replaced with less gas. */
const play = Effect.fnUntraced(function*(moves: ReadonlyArray<Move>) {
  worlds += 1
  const { revertedCalls: cap } = yield* Policy
  const all: Array<Signed> = []
  let [asked, refused, lessened] = [worlds * 1_000, 0, 0]
  // Amounts that counted in another world do not count in this one.
  let now = worlds * 1_000 * DAY
  const clock = clockAt(() => now)
  const inFlight = (kind: Kind, sender?: number) =>
    all.filter((each) =>
      each.ended === undefined && each.kind === kind && (sender === undefined || each.sender === sender)
    )
  const lost = (sender?: number) =>
    sum(
      all.flatMap(({ ended, sender: of }) =>
        ended !== undefined && now - ended.at < DAY && (sender === undefined || of === sender) ? [ended.lost] : []
      )
    )
  /** Whether it must be signed, by what is promised. */
  const isPromised = ({ kind, most, sender }: Extract<Move, { _tag: "sign" }>): boolean => {
    if (lost() > 0n) return false
    const [others, own] = [inFlight(kind), inFlight(kind, sender)].map((some) => sum(some.map((each) => each.most)))
    if (kind === "code") return (others ?? 0n) + most <= cap && (own ?? 0n) + most <= cap / 10n
    // Each eighth is rounded up.
    const rounded = 8n * BigInt(inFlight("swap").length + 1)
    return others === 0n ||
      ((others ?? 0n) + most + rounded <= 8n * cap && (own ?? 0n) + most + rounded <= 4n * cap)
  }
  const end = Effect.fnUntraced(function*(signed: Signed, quarters: bigint) {
    const burnt = (signed.most * quarters) / 4n
    const payout = { gasPaid: maxOf(1n, burnt), rentPaid: undefined, height: 1n }
    yield* signed.risk.settle({ ...payout, _tag: quarters === 0n ? "Paid" : "Reverted" })
    signed.ended = { at: now, lost: quarters === 0n ? 0n : payout.gasPaid }
  })
  const carryOut = Effect.fnUntraced(function*(move: Move) {
    const open = all.filter(({ ended, signedAt }) => ended === undefined && now - signedAt < DAY)
    const picked = "which" in move ? open[move.which % Math.max(1, open.length)] : undefined
    switch (move._tag) {
      case "sign": {
        asked += 1
        const transfer = transferOf(asked, move.kind)
        const deposit = riskyDeposit(transfer, { amount: 1n, sender: move.sender, time: 30 })
        const risk = riskOf(transfer, deposit)
        const first = move.most
        // Asked again after a crash, it counts once.
        const before = yield* riskOf(transfer, deposit).isBorne(
          { mostGas: first, ...running(runs(move.kind)) },
          "first"
        )
        const borne = yield* risk.isBorne({ mostGas: first, ...running(runs(move.kind)) }, "first")
        assert.strictEqual(before, borne)
        if (isPromised(move)) assert.isTrue(borne, `${move.kind} of ${first} by ${move.sender}`)
        const { kind, most, sender } = move
        if (borne) all.push({ kind, sender, transfer, deposit, signedAt: now, first, most, risk, ended: undefined })
        else refused += 1
        return
      }
      case "restart":
        if (picked !== undefined) picked.risk = riskOf(picked.transfer, picked.deposit)
        return
      case "raise": {
        if (picked === undefined) return
        const wanted = picked.most * move.factor
        yield* raiseFill(picked, picked.risk, runs(picked.kind), move.factor)
        // Nothing that is in flight refuses it.
        if (picked.kind === "swap") {
          assert.strictEqual(picked.most === wanted, lost() < cap && lost(picked.sender) < cap / 10n)
          if (picked.most !== wanted) lessened += 1
        }
        return
      }
      case "end":
        if (picked !== undefined) yield* end(picked, move.quarters)
        return
      case "wait":
        now += move.hours * HOUR
        // Fills in flight for longer are outside this property's assumptions.
        for (const signed of all) {
          if (signed.ended === undefined && now - signed.signedAt >= DAY) yield* end(signed, 0n)
        }
    }
  })
  // At last everything reverts that is in flight, and burns all of its gas.
  const last = moves.map((): Move => ({ _tag: "end", which: 0, quarters: 4n }))
  for (const move of [...moves, ...last]) yield* carryOut(move).pipe(Effect.provideService(Clock.Clock, clock))
  const larger = all.reduce((most, { first, kind }) => kind === "swap" ? maxOf(most, first) : most, 0n)
  let most = 0n
  for (const { ended: until } of all) {
    if (until === undefined) continue
    const recent = all.flatMap(({ ended, first, sender }) =>
      ended !== undefined && ended.at <= until.at && until.at - ended.at < DAY
        ? [{ sender, lost: minOf(ended.lost, first) }]
        : []
    )
    most = maxOf(most, sum(recent.map((each) => each.lost)))
    for (let sender = 0; sender < SENDERS; sender += 1) {
      const own = sum(recent.flatMap((each) => each.sender === sender ? [each.lost] : []))
      assert.isTrue(own <= maxOf(4n * cap, larger) + 2n * (cap / 10n), `${own} in a day by one sender`)
    }
  }
  assert.isTrue(most <= maxOf(8n * cap, larger) + cap, `${most} in a day`)
  return { most, refused, lessened, signed: all.length }
})

const swap = (sender: number, most: bigint): Move => ({ _tag: "sign", kind: "swap", sender, most })

describe("swaps that fall back", () => {
  it.live("cost the solver at most what is declared, and none is stopped by what has not happened", () =>
    Effect.gen(function*() {
      const run = Effect.runPromiseWith(yield* Effect.context<CallLosses | Payments | Policy | Prices>())
      // What strangers can make of it at worst: eight times the room by swaps and the room by code.
      const worst = yield* play([
        ...Array.from({ length: 20 }, (_, n) => swap(n % SENDERS, 800n)),
        ...Array.from({ length: SENDERS }, (_, sender): Move => ({ _tag: "sign", kind: "code", sender, most: 100n }))
      ])
      assert.deepStrictEqual(worst, { most: 9_000n, refused: 12, lessened: 0, signed: 20 })
      // One sender has half of the room of swaps, and what has been lost takes its part of what may be in flight.
      const ofOne = yield* play(Array.from({ length: 9 }, () => swap(0, 800n)))
      assert.deepStrictEqual(ofOne, { most: 4_000n, refused: 4, lessened: 0, signed: 5 })
      const later = yield* play([
        swap(0, 800n),
        { _tag: "end", which: 0, quarters: 4n },
        ...Array.from({ length: 9 }, (_, sender) => swap(sender, 800n))
      ])
      assert.deepStrictEqual(later, { most: 2_400n, refused: 7, lessened: 0, signed: 3 })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 12 }).chain((signing) =>
              fc.array(moveOf(signing), { minLength: 1, maxLength: 80, size: "max" })
            ),
            async (moves) => {
              await run(play(moves))
            }
          ),
          { numRuns: inputs(200, 4_000) }
        )
      )
    }).pipe(Effect.provide(layerLosses(1_000n))))

  it.live("of an honest integrator run while fees are high and double, whoever else swaps, and leave calls their room", () =>
    Effect.gen(function*() {
      for (let gwei = 8n; gwei <= 50n; gwei += 1n) {
        // 720,000 gas with ether at 3,000 dollars, in micro-dollars.
        const most = 720n * gwei * 3_000n
        const three = (sender: number) => Array.from({ length: 3 }, () => swap(sender, most))
        const moves = [
          ...three(0),
          ...three(1),
          ...Array.from({ length: 6 }, (_, which): Move => ({ _tag: "raise", which, factor: 2n })),
          ...Array.from({ length: 10 }, (_, sender): Move => ({
            _tag: "sign",
            kind: "code",
            sender,
            most: defaultPolicy.revertedCalls / 10n
          })),
          ...Array.from({ length: 16 }, (): Move => ({ _tag: "end", which: 0, quarters: 0n }))
        ]
        const { lessened, refused, signed } = yield* play(moves)
        assert.deepStrictEqual({ gwei, lessened, refused, signed }, { gwei, lessened: 0, refused: 0, signed: 16 })
      }
    }).pipe(Effect.provide(layerLosses(defaultPolicy.revertedCalls))))
})
