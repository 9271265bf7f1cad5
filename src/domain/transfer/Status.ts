/**
 * The states of a request and the moves between them (STATUS-1, STATUS-2): a closed enum, and terminal states are never
 * left.
 *
 * `unknown` is not a state: it is the answer for an id that does not exist.
 */
import * as Schema from "effect/Schema"

/** Where a transfer stands, for clients. */
export const Status = Schema.Literals([
  "waiting",
  "depositing",
  "pending",
  "submitted",
  "delayed",
  "success",
  "refund",
  "failure"
])
export type Status = typeof Status.Type

const next: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  waiting: ["depositing", "pending", "refund", "failure"],
  depositing: ["waiting", "pending", "refund", "failure"],
  pending: ["submitted", "delayed", "refund", "failure"],
  submitted: ["success", "delayed", "refund", "failure"],
  delayed: ["pending", "submitted", "success", "refund", "failure"],
  success: [],
  refund: [],
  failure: []
}

/** True when no state can follow. */
export const isTerminal = (status: Status): boolean => next[status].length === 0

/** The states of a request that has a deposit and has not ended. */
export const unendedStatuses: ReadonlyArray<Status> = Status.literals.filter((status) =>
  status !== "waiting" && !isTerminal(status)
)

/** True when a request may go from one state to another; staying in the same state is not a move. */
export const canMove = (from: Status, to: Status): boolean => next[from].includes(to)
