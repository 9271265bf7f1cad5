/**
 * Work without an order that payments are made for: sweeps, permits and payouts. Two processes may make one payment
 * during a takeover, and they may see different things. So work ends unpaid only while none of its payments can be
 * executed, and nothing is signed for work that has ended so (ADDRESS-18).
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { PaymentPurpose } from "../../../../ports/store/orders/Payments.ts"
import type { Hex32 } from "../../../../src/domain/encoding/Hex.ts"

/** `unpaid`: the state in which its money was not moved. */
const works = {
  sweep: { table: "sweeps", unpaid: "void" },
  permit: { table: "permit_submissions", unpaid: "void" },
  payout: { table: "payouts", unpaid: "returned" }
} as const

type WorkPurpose = keyof typeof works

const isWork = (leg: PaymentPurpose): leg is WorkPurpose => leg in works

export const queuedWork = (sql: SqlClient.SqlClient) => {
  /** The row that whoever signs for work, or ends it unpaid, holds until the end of its transaction. */
  const lockWork = (leg: PaymentPurpose, id: Hex32): ReadonlyArray<Statement.Statement<unknown>> =>
    isWork(leg) ? [sql`UPDATE ${sql(works[leg].table)} SET state = state WHERE id = ${id}`] : []

  /** A fact of whoever signs: the work has ended unpaid. */
  const endedUnpaid = (leg: PaymentPurpose, id: Hex32): Statement.Fragment =>
    isWork(leg)
      ? sql`UNION ALL SELECT 'unpaid', id, '' FROM ${sql(works[leg].table)} WHERE id = ${id} AND state = ${
        works[leg].unpaid
      }`
      : sql``

  /**
   * Ends work unpaid by `end`, unless one of its payments may still be executed: then `queueAgain` queues the work in its
   * next round, in which that payment is followed. SECURITY: in one transaction. The payment is read in a statement of
   * its own, after the lock, so that one that was signed a moment ago is seen.
   */
  const endUnpaid = <A, E, R>(
    leg: WorkPurpose,
    id: Hex32,
    queueAgain: (isInFlight: Statement.Fragment) => Statement.Statement<unknown>,
    end: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SqlError.SqlError, R> =>
    sql.withTransaction(Effect.gen(function*() {
      yield* Effect.forEach(lockWork(leg, id), (lock) => lock, { discard: true })
      yield* queueAgain(sql`EXISTS (SELECT 1 FROM payments p
            WHERE p.order_id = ${id} AND p.leg = ${leg} AND p.state IN ('signed', 'sent', 'included'))`)
      return yield* end
    }))

  return { lockWork, endedUnpaid, endUnpaid }
}
