/**
 * Empties a deposit address into the depository, as a durable workflow: order → make → close → guard until final.
 *
 * The sweep is a payment of the operator's that moves nothing of its own: signed once, then stored, then broadcast,
 * like every other. What it deposits is seen by the watcher as any deposit is, and only that is acted upon. It counts
 * as made once it is in a block, so that what comes to the address next can be swept; a reorganisation that takes it
 * back has the same bytes sent again, one past finality in another round of it. What the chain refuses to sweep while
 * it lies there is tried again for as long as it does, and somebody is told.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { NO_ORDER } from "../../domain/deposit-address/reindex/NoOrder.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { noteValues } from "../filling/NoteValues.ts"
import { OWED } from "../payments/DuePayment.ts"
import type { DuePayment } from "../payments/DuePayment.ts"
import { guardPayment } from "../payments/guard/GuardPayment.ts"
import { pay } from "../payments/pay/PayUntil.ts"
import { countStuck } from "../operations/Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { orderOfDeposit } from "./OrderOfDeposit.ts"
import { sweepPayment } from "./SweepPayment.ts"
import { step } from "./SweepSteps.ts"
import { waitUntilSeen } from "./WaitUntilSeen.ts"
import { SweepWorkflow } from "./SweepWorkflow.ts"
import type { SweepOutcome } from "./SweepWorkflow.ts"

/** What this process does not serve it must not touch: its next configuration will. */
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
    patience: OWED,
    notAfter: undefined,
    shown: undefined
  } satisfies DuePayment
})

const load = Effect.fnUntraced(function*(id: Hex32) {
  const sweeps = yield* Sweeps
  return (yield* sweeps.find(id)) ?? (yield* Effect.die(new Error(`sweep ${id} is not kept`)))
})

/**
 * Decided by the execution that makes the sweep, of which there is one: a request is quoted for what nobody else
 * sweeps.
 */
const order = Effect.fnUntraced(function*(sweep: Sweep) {
  if (sweep.depositId !== undefined) return sweep.depositId
  const addresses = yield* DepositAddresses
  const sweeps = yield* Sweeps
  const transfers = yield* Transfers
  const chains = yield* Chains
  const chain = findChain(chains.all, sweep.chainId)
  // What came to the address before must be known first: after a backup was restored it may not be.
  if (chain !== undefined) yield* waitUntilSeen(chain)
  const unpaid = yield* UnpaidAddresses
  // Its quote is gone, and with it every order that could be filled: what came goes back.
  if ((yield* unpaid.dropped(sweep.address)) !== undefined) return yield* sweeps.name(sweep.id, NO_ORDER)
  const first = yield* transfers.findByOrder(sweep.orderId)
  const kept = first === undefined ? undefined : yield* addresses.findByRequest(first.id)
  return yield* sweeps.name(sweep.id, kept === undefined ? sweep.orderId : yield* orderOfDeposit(kept, sweep))
})

/** Refused so often, a poll apart, somebody has to see why. */
const REFUSALS = 5

/** How often it is tried then. */
const REFUSED_AGAIN = Duration.minutes(1)

/** Paid, or refused while nothing lies there: somebody else was first, or a reorganisation took away what was there. */
const paySweep = Effect.fnUntraced(function*(due: DuePayment, { address }: Sweep) {
  const balances = yield* AddressBalances
  const { chain, currency } = due.payment
  for (let refusals = 0;; refusals += 1) {
    const payout = yield* pay(due)
    if (payout._tag !== "Unpaid" || payout.why !== "reverts") return payout
    const [reading] = yield* balances.read(chain, address, [currency])
    if (reading?._tag === "Read" && reading.units === 0n) return payout
    if (refusals >= REFUSALS) {
      yield* countStuck("sweep-refused")
      yield* Effect.logError(
        `what lies at the deposit address ${address} on ${chain.slug} cannot be swept: the chain refuses it (${currency.symbol})`
      )
    }
    yield* Effect.sleep(refusals < REFUSALS ? pollInterval(chain) : REFUSED_AGAIN)
  }
})

const make = Effect.fnUntraced(function*(due: DuePayment, sweep: Sweep) {
  const watcher = yield* DepositWatcher
  const { chain } = due.payment
  const payout = yield* paySweep(due, sweep)
  // Its gas is spent for nothing when there was nothing to sweep.
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
  }
)

/** One that a reorganisation has made fail moved nothing after all: what comes next is the first again. */
const guard = Effect.fnUntraced(function*(due: DuePayment, id: Hex32, round: number) {
  const sweeps = yield* Sweeps
  if ((yield* guardPayment(due))._tag !== "Paid") yield* sweeps.fail(id, round)
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
