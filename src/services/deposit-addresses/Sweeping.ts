/**
 * Sweeps a deposit address into the depository, as a durable workflow: order → make → close → guard until final.
 *
 * The sweep is a payment of the operator that spends only gas: signed once, stored, broadcast, like any other. The
 * watcher sees its deposit like any deposit, and only that deposit is acted on. A sweep counts as made once it is in a
 * block, so that later money at the address can be swept. After a reorg the same bytes are sent again; after one past
 * finality, in another round. A sweep that the chain refuses while there is a balance is retried as long as there is,
 * and operators are alerted.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { NO_ORDER } from "../../domain/deposit-address/reindex/NoOrder.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { Payments } from "../../../ports/store/orders/Payments.ts"
import { Followers } from "../following/Followers.ts"
import { noteValues } from "../filling/NoteValues.ts"
import { OWED } from "../payments/DuePayment.ts"
import type { DuePayment } from "../payments/DuePayment.ts"
import { guardPayment } from "../payments/guard/GuardPayment.ts"
import { pay } from "../payments/pay/PayUntil.ts"
import { countStuck } from "../operations/Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { paidTo, usingWhatIsLeft } from "./LeftBySweeps.ts"
import { orderOfDeposit } from "./OrderOfDeposit.ts"
import { sweepPayment } from "./SweepPayment.ts"
import { step } from "./SweepSteps.ts"
import { waitForOtherSweeps } from "./WaitForOtherSweeps.ts"
import { waitUntilSeen } from "./WaitUntilSeen.ts"
import { SweepWorkflow } from "./SweepWorkflow.ts"
import type { SweepOutcome } from "./SweepWorkflow.ts"

type DueSweep = DuePayment<AddressBalances | Followers | Payments | Sweeps>

/** A process must not touch sweeps that it does not serve: its next configuration may serve them. */
const dueSweep = Effect.fnUntraced(function*(sweep: Sweep, depositId: OrderId) {
  const chains = yield* Chains
  const chain = yield* Effect.fromResult(servedChain(chains.all, sweep.chainId))
  const keys = yield* DepositKeys
  const key = chain.depositAddresses?.keys === undefined ? undefined : yield* keys.find(sweep.address)
  const payment = sweepPayment(chain, sweep.id, { ...sweep, depositId, key })
  if (payment === undefined) {
    return yield* new ChainUnavailable({ chain: chain.slug, operation: `sweep ${sweep.id}`, kind: "not-served" })
  }
  return {
    purpose: "sweep",
    deposit: { onchainId: sweep.id },
    payment,
    asOfNow: usingWhatIsLeft(payment),
    patience: OWED,
    notAfter: undefined,
    shown: undefined
  } satisfies DueSweep
})

const load = Effect.fnUntraced(function*(id: Hex32) {
  const sweeps = yield* Sweeps
  return (yield* sweeps.find(id)) ?? (yield* Effect.die(new Error(`sweep ${id} is not kept`)))
})

/**
 * Decided by the one execution that makes the sweep, so that a request is quoted only for money that this sweep moves.
 */
const order = Effect.fnUntraced(function*(sweep: Sweep) {
  if (sweep.depositId !== undefined) return sweep.depositId
  const addresses = yield* DepositAddresses
  const sweeps = yield* Sweeps
  const transfers = yield* Transfers
  const chains = yield* Chains
  const chain = findChain(chains.all, sweep.chainId)
  // Earlier deposits at the address must be known first. After a restore from a backup they may not be.
  if (chain !== undefined) yield* waitUntilSeen(chain)
  const unpaid = yield* UnpaidAddresses
  // Its quote was deleted, and with it every order that could be filled: the money is refunded.
  if ((yield* unpaid.dropped(sweep.address)) !== undefined) return yield* sweeps.name(sweep.id, NO_ORDER)
  const first = yield* transfers.findByOrder(sweep.orderId)
  const kept = first === undefined ? undefined : yield* addresses.findByRequest(first.id)
  return yield* sweeps.name(sweep.id, kept === undefined ? sweep.orderId : yield* orderOfDeposit(kept, sweep))
})

/** After this many refusals, a block apart, operators are alerted. */
const REFUSALS = 5

/** How often it is then retried. */
const REFUSED_AGAIN = Duration.minutes(1)

/**
 * Whether nothing of what was paid in this currency is there: somebody else swept it first, a reorg removed the money, or
 * an endpoint had shown what was not there.
 */
const isEmpty = Effect.fnUntraced(function*(chain: Chain, { address, currency }: Sweep) {
  const balances = yield* AddressBalances
  const swept = findCurrency(chain, currency)
  if (swept === undefined) return false
  const [reading] = yield* balances.read(chain, address, [swept])
  if (reading === undefined) return false
  const paid = yield* paidTo(chain, address, swept, reading)
  return paid._tag === "Read" && paid.units === 0n
})

/** Paid, or refused because the address is empty. */
const paySweep = Effect.fnUntraced(function*(due: DueSweep, sweep: Sweep) {
  const { address, currency } = sweep
  const { chain } = due.payment
  const followers = yield* Followers
  for (let refusals = 0;; refusals += 1) {
    const seen = yield* followers.seen(chain, "waits")
    const payout = yield* pay(due)
    if (payout._tag !== "Unpaid" || payout.why !== "reverts") return payout
    if (yield* Effect.provideService(isEmpty(chain, sweep), Due, true)) return payout
    if (refusals >= REFUSALS) {
      yield* countStuck("sweep-refused")
      yield* Effect.logError(
        `what lies at the deposit address ${address} on ${chain.slug} cannot be swept: the chain refuses it (${
          findCurrency(chain, currency)?.symbol ?? currency
        })`
      )
    }
    yield* refusals < REFUSALS ? followers.moved(chain, seen) : Effect.sleep(REFUSED_AGAIN)
  }
})

const make = Effect.fnUntraced(function*(due: DueSweep, sweep: Sweep) {
  const watcher = yield* DepositWatcher
  const { chain } = due.payment
  // Asked before each signature: another currency may be swept while this sweep waits for money, or is refused (TRON-25).
  const isDue = Effect.as(waitForOtherSweeps(chain, sweep), true)
  const payout = yield* paySweep({ ...due, isDue }, sweep)
  // Its gas is wasted when there was nothing to sweep.
  if (payout._tag !== "Unpaid") yield* noteValues(due.deposit, [chain.native])
  const outcome: SweepOutcome = payout._tag === "Paid" ? "done" : "void"
  return { outcome, height: payout._tag === "Unpaid" ? (yield* watcher.head(chain)).height : payout.height }
})

const close = Effect.fnUntraced(
  function*(
    id: Hex32,
    round: number,
    { height, outcome }: { readonly outcome: SweepOutcome; readonly height: bigint }
  ) {
    const sweeps = yield* Sweeps
    yield* sweeps.close(id, round, { state: outcome, height }, yield* Clock.currentTimeMillis)
    // An earlier execution, whose guard was lost, may have closed it as done.
    if (outcome === "void") yield* sweeps.fail(id, round)
  }
)

/** If a reorg makes it fail, it moved nothing: the next deposit is the first again. */
const guard = Effect.fnUntraced(function*(due: DueSweep, id: Hex32, round: number) {
  const sweeps = yield* Sweeps
  const { _tag } = yield* guardPayment(due)
  yield* _tag === "Paid" ? sweeps.recordFinal(id, round, yield* Clock.currentTimeMillis) : sweeps.fail(id, round)
})

export const layer = SweepWorkflow.toLayer(
  Effect.fn("Sweep")(function*({ id, round }) {
    const sweep = yield* load(id).pipe(retryForever("sweep.load"))
    const depositId = yield* step("sweep.order", order(sweep).pipe(retryForever("sweep.order")))
    const due = yield* dueSweep(sweep, depositId).pipe(retryForever("sweep.leg"))
    const made = yield* step("sweep.make", make(due, sweep).pipe(retryForever("sweep.make")))
    yield* step("sweep.close", close(id, round, made).pipe(retryForever("sweep.close")))
    if (made.outcome === "done") yield* step("sweep.guard", guard(due, id, round).pipe(retryForever("sweep.guard")))
    return made.outcome
  })
)
