/**
 * Submits permits, as a durable workflow: make → close → guard until final.
 *
 * The transaction is a payment of the operator that spends only gas: signed once, stored, broadcast, and replaced when
 * stuck, like any other. The watcher sees its deposit like any deposit, whoever has submitted it. A permit that the
 * chain does not execute is tried a few times and then given up: nobody has lost anything, and the user may post the
 * signature again while it is valid.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { PermitSubmission } from "../../../ports/store/orders/PermitSubmissions.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { usdCeil } from "../../domain/money/Currency.ts"
import { microsCeil } from "../../domain/money/Usd.ts"
import { countRevertedPermit } from "../operations/Meters.ts"
import { Followers } from "../following/Followers.ts"
import { noteValues } from "../filling/NoteValues.ts"
import type { DuePayment } from "../payments/DuePayment.ts"
import { guardPayment } from "../payments/guard/GuardPayment.ts"
import { pay } from "../payments/pay/PayUntil.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { judgePermit } from "./JudgingPermits.ts"
import { permitOf, permitPayment } from "./PermitPayment.ts"
import { step } from "./PermitSteps.ts"
import { PermitWorkflow } from "./PermitWorkflow.ts"
import type { PermitOutcome } from "./PermitWorkflow.ts"

/** Time for the transaction to be mined before the signature expires. */
const DEADLINE_MARGIN_SECONDS = 15

/** How often the chain may refuse it, a block apart: an endpoint may be a block behind the one that was asked first. */
const REFUSALS = 5

const load = Effect.fnUntraced(function*(id: Hex32) {
  const submissions = yield* PermitSubmissions
  return (yield* submissions.find(id)) ?? (yield* Effect.die(new Error(`permit ${id} is not kept`)))
})

type Judging = Effect.Services<ReturnType<typeof judgePermit>>

/** A process must not touch permits that it does not serve: its next configuration may serve them. */
const duePermit = Effect.fnUntraced(function*({ chainId, id, orderId, signature }: PermitSubmission) {
  const chains = yield* Chains
  const transfers = yield* Transfers
  const chain = yield* Effect.fromResult(servedChain(chains.all, chainId))
  const transfer = yield* transfers.findByOrder(orderId)
  const permit = transfer === undefined ? undefined : permitOf(transfer)
  if (transfer === undefined || permit === undefined) {
    return yield* Effect.die(new Error(`permit ${id} is of no transfer that has one`))
  }
  const payment = permitPayment(chain, id, permit, signature)
  return {
    purpose: "permit",
    deposit: { onchainId: id },
    payment,
    patience: Duration.minutes(10),
    notAfter: permit.terms.deadline - DEADLINE_MARGIN_SECONDS,
    isDue: judgePermit(chain, transfer).pipe(
      Effect.as(true),
      Effect.catchTag(
        "PermitRefused",
        ({ message }) => Effect.as(Effect.logWarning(`permit ${id} is not submitted: ${message}`), false)
      )
    ),
    shown: undefined
  } satisfies DuePayment<Judging>
})

/** Its gas is lost, and the actual cost counts under the cap. */
const noteReverted = Effect.fnUntraced(
  function*({ deposit: { onchainId }, payment: { chain } }: DuePayment<Judging>, gasPaid: bigint) {
    const prices = yield* Prices
    const submissions = yield* PermitSubmissions
    const lost = microsCeil(usdCeil(gasPaid, yield* prices.priceOf(chain.native)))
    yield* submissions.spend(onchainId, lost)
    yield* countRevertedPermit(chain.slug, lost)
  }
)

const make = Effect.fnUntraced(function*(due: DuePayment<Judging>) {
  const { chain } = due.payment
  const followers = yield* Followers
  for (let refusals = 0;; refusals += 1) {
    const seen = yield* followers.seen(chain, "waits")
    const payout = yield* pay(due)
    // Its gas is wasted when another submission was first.
    if (payout._tag !== "Unpaid") yield* noteValues(due.deposit, [chain.native])
    if (payout._tag === "Paid") return "done" satisfies PermitOutcome
    if (payout._tag === "Reverted") yield* noteReverted(due, payout.gasPaid)
    if (payout._tag === "Reverted" || payout.why !== "reverts" || refusals >= REFUSALS) {
      return "void" satisfies PermitOutcome
    }
    yield* followers.moved(chain, seen)
  }
})

const close = Effect.fnUntraced(function*(id: Hex32, round: number, outcome: PermitOutcome) {
  const submissions = yield* PermitSubmissions
  if (outcome === "void") {
    yield* Effect.logWarning(
      `permit ${id} was not carried out by the chain: it was used, has expired, or what it moves is not there`
    )
  }
  const now = yield* Clock.currentTimeMillis
  yield* submissions.close(id, round, outcome, now)
  // An earlier execution, whose guard was lost, may have closed it as done.
  if (outcome === "void") yield* submissions.fail(id, round, now)
})

/** If a reorg makes it fail, nothing was deposited: its signature may be posted again. */
const guard = Effect.fnUntraced(function*(due: DuePayment<Judging>, id: Hex32, round: number) {
  const submissions = yield* PermitSubmissions
  const { _tag } = yield* guardPayment(due)
  const now = yield* Clock.currentTimeMillis
  yield* _tag === "Paid" ? submissions.recordFinal(id, round, now) : submissions.fail(id, round, now)
})

export const layer = PermitWorkflow.toLayer(
  Effect.fn("Permit")(function*({ id, round }) {
    const submission = yield* load(id).pipe(retryForever("permit.load"))
    const due = yield* duePermit(submission).pipe(retryForever("permit.leg"))
    const made = yield* step("permit.make", make(due).pipe(retryForever("permit.make")))
    yield* step("permit.close", close(id, round, made).pipe(retryForever("permit.close")))
    if (made === "done") yield* step("permit.guard", guard(due, id, round).pipe(retryForever("permit.guard")))
    return made
  })
)
