/**
 * The property of strangers' code that reverts (REFUND-11), over sequences of any actors' actions, on a real store: calls
 * of a request, and a recipient's code, which was there at the quote or came after it. The solver's loss beyond what
 * deposits bear is at most the cap in any 24 hours, and a tenth of it for each sender. Fills that their deposit covers
 * are always made, and so are those to accounts without code for whose fill the deposit has paid as quoted. Code may come
 * to such an account before the block (REFUND-13). Assumed: a fill is in a block within a day, its refund costs no more
 * than three times its cost at quote time, and a deposit whose price holds has paid for what its fill costs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as fc from "fast-check"
import type { CallLosses } from "../../../../ports/store/ledger/CallLosses.ts"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Prices } from "../../../../ports/market/Prices.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { maxOf, minOf } from "../../../../src/domain/money/Rounding.ts"
import { alpha } from "../../../../src/domain/quote/testing/Chains.ts"
import { leastRefund, planSettledRefund } from "../../../../src/domain/hub/settling/SettledRefund.ts"
import {
  chargedCalls,
  coveredCalls,
  leastAfterRevert,
  lostCalls
} from "../../../../src/domain/transfer/payment/RevertedCalls.ts"
import type { Deposit } from "../../../../src/domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../../../src/domain/transfer/Transfer.ts"
import { settleRefunded } from "../../../../src/services/filling/losses/RevertedCallLoss.ts"
import type { CallRisk } from "../../../../src/services/filling/losses/RevertedCallLoss.ts"
import type { Policy } from "../../../../src/services/operations/Policy.ts"
import { layerLosses, raiseFill, riskOf, riskyDeposit, riskyTransfer, running, user } from "./testing/RiskyFills.ts"
import type { InFlight } from "./testing/RiskyFills.ts"
import { clockAt } from "../../testing/ToldClock.ts"

const HOUR = 3_600_000
const CAP = 1_000n
const SENDERS = 12
/** Whose code the fill runs. */
type Code = "its request's" | "its recipient's" | "nobody's"

type Move =
  | {
    readonly _tag: "fill"
    readonly sender: number
    readonly most: bigint
    readonly quoted: bigint
    readonly part: bigint
    readonly gas: bigint
    /** Without bounds: of an older release, or the recipient's code came after the quote. */
    readonly isOld: boolean
    /** Its price no longer holds. */
    readonly isLate: boolean
    readonly code: Code
  }
  | { readonly _tag: "restart"; readonly which: number }
  | { readonly _tag: "raise"; readonly which: number; readonly factor: bigint }
  | { readonly _tag: "revert"; readonly which: number; readonly quarters: bigint }
  | { readonly _tag: "stand"; readonly which: number }
  | { readonly _tag: "refund"; readonly which: number; readonly times: bigint }
  | { readonly _tag: "wait"; readonly hours: number }

const which = fc.nat({ max: 30 })
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("fill" as const),
      sender: fc.nat({ max: SENDERS - 1 }),
      most: fc.bigInt(1n, 120n),
      quoted: fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(1n, 400n)),
      part: fc.constantFrom(1n, 2n, 3n, 4n, 4n),
      gas: fc.bigInt(0n, 20n),
      isOld: fc.boolean(),
      isLate: fc.boolean(),
      code: fc.constantFrom<Code>("its request's", "its recipient's", "its recipient's", "nobody's")
    })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("restart" as const), which }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("raise" as const), which, factor: fc.bigInt(2n, 9n) }) },
  { weight: 5, arbitrary: fc.record({ _tag: fc.constant("revert" as const), which, quarters: fc.bigInt(1n, 4n) }) },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("refund" as const), which, times: fc.bigInt(0n, 1n) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("stand" as const), which }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) }) }
)

interface Filled extends InFlight {
  readonly sender: number
  readonly code: Code
  /** As its process knows it. */
  risk: CallRisk
  /** Milliseconds: when its fill, or the replacement of its fill, was signed. */
  readonly signedAt: number
  state: "out" | "reverted" | "over"
  cost: bigint
  revertedAt: number
  lost: bigint
}

const transferOf = (n: number, { code, gas, isOld, most, quoted }: Extract<Move, { _tag: "fill" }>): Transfer =>
  riskyTransfer({
    n,
    amountIn: quoted,
    leastRefund: maxOf(1n, quoted - gas - (isOld ? 0n : most)),
    hasCalls: code === "its request's",
    terms: isOld ? {} : { refundBounds: { gas, calls: most } }
  })

/** The whole amount, while its price holds. */
const isPriced = ({ terms: { amountIn } }: Transfer, { amount, block }: Deposit) =>
  amount >= amountIn && block.time <= 30

const coveredBy = ({ deposit: { amount }, transfer: { order, terms: { refundBounds } } }: Filled) =>
  coveredCalls(amount, refundBounds, leastRefund(order, amount))

const runs = (code: Code) => code === "its recipient's"

let worlds = 0

/**
 * Returns the largest loss in a day, in total and by one sender's calls, and how many fills were refused because their
 * risk was not covered.
 */
const play = Effect.fnUntraced(function*(moves: ReadonlyArray<Move>) {
  worlds += 1
  const world = worlds * 1_000
  const all: Array<Filled> = []
  let refused = 0
  // Amounts that counted in another world do not count in this one.
  let now = worlds * 1_000 * 24 * HOUR
  const clock = clockAt(() => now)
  const past = (filled: Filled) => now - filled.signedAt >= 24 * HOUR
  const pick = (state: Filled["state"], n: number) => {
    const open = all.filter((each) => each.state === state)
    return open[n % Math.max(1, open.length)]
  }
  const carryOut = Effect.fnUntraced(function*(move: Move) {
    switch (move._tag) {
      case "fill": {
        const transfer = transferOf(world + all.length + refused + 1, move)
        const deposit = riskyDeposit(transfer, {
          amount: maxOf(1n, (move.quoted * move.part) / 4n),
          sender: move.sender,
          time: move.isLate ? 31 : 30
        })
        const risk = riskOf(transfer, deposit)
        const { code, gas, isOld, most, quoted } = move
        // The quoted amount pays for one fill and a refund, so it is always made, whatever the losses.
        const isCovered = (!isOld && move.part === 4n && quoted > gas + most) ||
          (code === "nobody's" && (isOld || isPriced(transfer, deposit)))
        // Asked again after a crash, and for another deposit of the order: it counts once.
        const first = yield* riskOf(transfer, deposit).isBorne({ mostGas: most, ...running(runs(code)) }, "first")
        const borne = yield* risk.isBorne({ mostGas: most, ...running(runs(code)) }, "first")
        assert.strictEqual(first, borne)
        if (isCovered) assert.isTrue(borne)
        if (!borne) refused += 1
        else {all.push({
            transfer,
            deposit,
            sender: move.sender,
            code,
            risk,
            signedAt: now,
            most,
            state: "out",
            cost: 0n,
            revertedAt: 0,
            lost: 0n
          })}
        break
      }
      case "restart": {
        const filled = pick("out", move.which)
        if (filled !== undefined) filled.risk = riskOf(filled.transfer, filled.deposit)
        break
      }
      case "raise": {
        const filled = pick("out", move.which)
        if (filled === undefined || past(filled)) break
        yield* raiseFill(filled, filled.risk, runs(filled.code), move.factor)
        break
      }
      case "stand":
      case "revert": {
        const filled = pick("out", move.which)
        if (filled === undefined || past(filled)) break
        const burnt = move._tag === "stand" ? 1n : maxOf(1n, (filled.most * move.quarters) / 4n)
        const isAssumed = filled.code === "nobody's" && isPriced(filled.transfer, filled.deposit)
        const gasPaid = isAssumed ? minOf(burnt, coveredBy(filled)) : burnt
        // An older release has nothing that bounds them.
        if (filled.code === "nobody's" && filled.transfer.terms.refundBounds === undefined) break
        const payout = {
          _tag: move._tag === "stand" ? "Paid" : "Reverted",
          gasPaid,
          rentPaid: undefined,
          height: 1n
        } as const
        yield* filled.risk.settle(payout)
        filled.state = move._tag === "stand" ? "over" : "reverted"
        if (move._tag === "stand") break
        filled.cost = gasPaid
        filled.revertedAt = now
        break
      }
      case "refund": {
        const filled = pick("reverted", move.which)
        if (filled === undefined) break
        const { deposit: { amount: deposited }, transfer: { order, terms: { refundBounds: bounds } } } = filled
        const net = maxOf(0n, deposited - (bounds?.gas ?? 0n) * move.times)
        const refund = { deposited, net, least: 0n, cost: filled.cost, bounds }
        const facts = {
          chain: alpha,
          currency: alpha.native.address,
          recipient: user,
          depositor: user,
          deposited
        }
        const planned = planSettledRefund(order, facts, { net: net - chargedCalls(refund), mintable: true, now: 0 })
        const paid = maxOf(planned.amount, leastAfterRevert(refund))
        filled.lost = lostCalls(refund, paid)
        filled.state = "over"
        // Of an order without bounds and calls nothing is charged, and its loss is settled already.
        if (filled.code === "its request's" || bounds !== undefined) {
          yield* settleRefunded(filled.transfer, filled.deposit, filled.lost)
        }
        break
      }
      case "wait":
        now += move.hours * HOUR
        // Fills in flight for longer are outside this property's assumptions.
        for (const filled of all) {
          if (filled.state !== "out" || !past(filled)) continue
          yield* filled.risk.settle({ _tag: "Paid", gasPaid: 1n, rentPaid: undefined, height: 1n })
          filled.state = "over"
        }
    }
  })
  const last = moves.map((): Move => ({ _tag: "refund", which: 0, times: 1n }))
  for (const move of [...moves, ...last]) yield* carryOut(move).pipe(Effect.provideService(Clock.Clock, clock))
  let [most, mostOfOne] = [0n, 0n]
  for (const { revertedAt: until } of all) {
    const recent = all.filter(({ lost, revertedAt }) =>
      lost > 0n && revertedAt <= until && until - revertedAt < 24 * HOUR
    )
    const sum = (some: ReadonlyArray<Filled>) => some.reduce((total, { lost }) => total + lost, 0n)
    most = maxOf(most, sum(recent))
    for (const { sender } of recent) mostOfOne = maxOf(mostOfOne, sum(recent.filter((each) => each.sender === sender)))
  }
  assert.isTrue(most <= CAP, `${most} in a day, after ${moves.map(({ _tag }) => _tag).join(", ")}`)
  assert.isTrue(
    mostOfOne <= CAP / 10n,
    `${mostOfOne} in a day by one sender, after ${moves.map(({ _tag }) => _tag).join(", ")}`
  )
  return { most, mostOfOne, refused }
})

describe("calls that revert", () => {
  it.live("cost the solver at most the cap in any 24 hours, and a tenth of it for each sender; covered calls are always filled", () =>
    Effect.gen(function*() {
      const run = Effect.runPromiseWith(yield* Effect.context<CallLosses | Payments | Policy | Prices>())
      // What is allowed is reached, by each sender and by all of them, and what is beyond it is refused.
      const lost = (code: Code) => (sender: number): ReadonlyArray<Move> => [
        { _tag: "fill", sender, most: 50n, quoted: 50n, part: 4n, gas: 0n, isOld: true, isLate: false, code },
        { _tag: "revert", which: 0, quarters: 4n },
        { _tag: "refund", which: 0, times: 0n }
      ]
      const senders = Array.from({ length: SENDERS }, (_, sender) => sender)
      for (const code of ["its request's", "its recipient's"] as const) {
        const reached = yield* play(Array.from({ length: 30 }, () => senders.flatMap(lost(code))).flat())
        assert.deepStrictEqual(reached, { most: CAP, mostOfOne: CAP / 10n, refused: 30 * SENDERS - 20 })
      }
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 80, size: "max" }), async (moves) => {
            await run(play(moves))
          }),
          { numRuns: inputs(150, 4_000) }
        )
      )
    }).pipe(Effect.provide(layerLosses(CAP))))
})
