/**
 * Starts queued work: every open payout, sweep and permit, as soon as it is queued and again after a restart. Starting
 * is idempotent, so every worker that hears of it may start it. An execution that ended without a result is followed by
 * another. Work that a reorg undid is in another round, and so is started again.
 *
 * SECURITY: a sweep or permit that is in a block is no longer queued, and is guarded until it is final. An execution
 * that ends without a result before that must be followed by another, too: a reorg may drop the transaction, nobody
 * else sends it again, and everything behind its sequence waits (ADDRESS-17).
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Workflow from "effect/workflow/Workflow"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { SweepWorkflow } from "../deposit-addresses/SweepWorkflow.ts"
import { PayoutWorkflow } from "../payout/PayoutWorkflow.ts"
import { PermitWorkflow } from "../permits/PermitWorkflow.ts"
import { poll, pollNoticed } from "../polling/Poll.ts"
import { countStuck } from "./Meters.ts"

interface Queued {
  readonly id: Hex32
  readonly round: number
}

/** A workflow whose executions are identified by id, round and attempt. */
interface Rounds<R> {
  readonly execute: (
    payload: Queued & { readonly attempt: number },
    options: { readonly discard: true }
  ) => Effect.Effect<string, never, R>
  readonly poll: (execution: string) => Effect.Effect<Option.Option<Workflow.Result<unknown, unknown>>, never, R>
}

const starting = <R, S>(
  died: "payout-died" | "permit-died" | "sweep-died",
  workflow: Rounds<R>,
  open: Effect.Effect<ReadonlyArray<Queued>, StoreUnavailable, S>
) =>
  Effect.gen(function*() {
    const what = died.slice(0, -"-died".length)
    for (const { id, round } of yield* open) {
      for (let attempt = 0;; attempt += 1) {
        const result = yield* workflow.poll(yield* workflow.execute({ id, attempt, round }, { discard: true }))
        if (Option.isNone(result) || result.value._tag !== "Complete" || Exit.isSuccess(result.value.exit)) break
        yield* countStuck(died)
        yield* Effect.logError(`${what} ${id} ended without a result and is started again`)
      }
    }
  })

const sweeps = starting("sweep-died", SweepWorkflow, Effect.flatMap(Sweeps, ({ open }) => open))
const sweepsToGuard = starting("sweep-died", SweepWorkflow, Effect.flatMap(Sweeps, ({ unfinal }) => unfinal))
const permits = starting("permit-died", PermitWorkflow, Effect.flatMap(PermitSubmissions, ({ open }) => open))
const permitsToGuard = starting(
  "permit-died",
  PermitWorkflow,
  Effect.flatMap(PermitSubmissions, ({ unfinal }) => unfinal)
)
const payouts = starting("payout-died", PayoutWorkflow, Effect.flatMap(Payouts, ({ open }) => open))

const GUARD_EVERY = Duration.seconds(30)

export const layer = Layer.mergeAll(
  Layer.effectDiscard(Effect.forkScoped(poll("sweeps to guard", GUARD_EVERY)(sweepsToGuard))),
  Layer.effectDiscard(Effect.forkScoped(poll("permits to guard", GUARD_EVERY)(permitsToGuard))),
  Layer.effectDiscard(Effect.forkScoped(pollNoticed("queued sweeps", "sweeps", Duration.millis(200))(sweeps))),
  Layer.effectDiscard(Effect.forkScoped(pollNoticed("queued permits", "permits", Duration.millis(200))(permits))),
  Layer.effectDiscard(Effect.forkScoped(pollNoticed("open payouts", "payouts", Duration.seconds(1))(payouts)))
)
