/**
 * The laws of a request's states (STATUS-1): a closed set, no way out of a terminal state, and a time limit for every
 * other one. For any implementation: `statusLaws({ canMove, isTerminal, boundOf, endsBy })`.
 */
import * as fc from "fast-check"
import { Status } from "../src/domain/transfer/Status.ts"
import { type Law, law, must } from "./Law.ts"

/** Seconds until a block is final, on a request's two chains. */
export interface Times {
  readonly originFinality: number
  readonly destinationFinality: number
}

/** The status machine under test. */
export interface StatusMachine {
  readonly canMove: (from: Status, to: Status) => boolean
  readonly isTerminal: (status: Status) => boolean
  /** The longest time in a state, in seconds. Undefined for a state that never ends. */
  readonly boundOf: (status: Status, times: Times) => number | undefined
  /** Milliseconds, as is the first sighting of a deposit. */
  readonly endsBy: (sightedAt: number, times: Times) => number
}

const all: ReadonlyArray<Status> = Status.literals
const terminal: ReadonlyArray<Status> = ["success", "refund", "failure"]
const status = fc.constantFrom(...all)
const seconds = fc.integer({ min: 0, max: 3 * 24 * 3600 })
const times = fc.record({ originFinality: seconds, destinationFinality: seconds })

/** Every state that can be reached from a state, itself included. */
const reachable = ({ canMove }: StatusMachine, from: Status): ReadonlySet<Status> => {
  const seen = new Set<Status>([from])
  for (const each of seen) for (const next of all) if (canMove(each, next)) seen.add(next)
  return seen
}

/** The laws of the status machine and its time limits. */
export const statusLaws = (machine: StatusMachine): ReadonlyArray<Law> => {
  const { boundOf, canMove, endsBy, isTerminal } = machine
  return [
    law(
      "status: no path leaves a terminal state, whatever is tried",
      fc.property(fc.array(status, { maxLength: 40 }), (tries) => {
        let [now, over]: [Status, Status | undefined] = ["waiting", undefined]
        for (const next of tries) {
          now = canMove(now, next) ? next : now
          if (over === undefined && terminal.includes(now)) over = now
          must(over === undefined || now === over, `${over} was left for ${now}`)
        }
      })
    ),
    law(
      "status: success, refund and failure are the terminal states, and they alone",
      fc.property(status, status, (from, to) => {
        must(isTerminal(from) === terminal.includes(from), `${from} is marked wrongly`)
        must(!isTerminal(from) || !canMove(from, to), `${from} goes on to ${to}`)
      })
    ),
    law(
      "status: every state can be reached, and a refund or a failure from every one that is not terminal",
      fc.property(status, (from) => {
        must(reachable(machine, "waiting").has(from), `${from} cannot be reached`)
        must(isTerminal(from) || (canMove(from, "refund") && canMove(from, "failure")), `${from} cannot end badly`)
        must(isTerminal(from) || reachable(machine, from).has("success"), `${from} cannot end well`)
      })
    ),
    law(
      "status: nothing succeeds that was not submitted, and nothing is submitted that was not pending",
      fc.property(status, (from) => {
        must(!canMove(from, "success") || from === "submitted" || from === "delayed", `${from} succeeds at once`)
        must(!canMove(from, "submitted") || from === "pending" || from === "delayed", `${from} is submitted at once`)
        must(!canMove(from, "delayed") || from === "pending" || from === "submitted", `${from} is delayed`)
        must(!canMove(from, "waiting") || from === "depositing", `${from} waits again`)
        must(!canMove(from, from), `${from} moves to itself`)
      })
    ),
    law(
      "status: every state that is not terminal has a bound, above zero and no shorter for slower chains",
      fc.property(status, times, seconds, (status, times, more) => {
        const bound = boundOf(status, times)
        must((bound === undefined) === isTerminal(status), `${status} has no bound, or one too many`)
        must(bound === undefined || (Number.isSafeInteger(bound) && bound > 0), `${status} has no usable bound`)
        const slower = boundOf(status, {
          originFinality: times.originFinality + more,
          destinationFinality: times.destinationFinality + more
        })
        must(bound === undefined || (slower !== undefined && slower >= bound), `${status} is shorter on slower chains`)
      })
    ),
    law(
      "status: a request with a deposit must have ended at a time, and not before its straight way through the states",
      fc.property(fc.integer({ min: 0, max: 2 ** 42 }), times, (sightedAt, times) => {
        const straight = (["depositing", "pending", "submitted"] as const).reduce(
          (sum, each) => sum + (boundOf(each, times) ?? 0),
          0
        )
        must(endsBy(sightedAt, times) >= sightedAt + straight * 1000, "it ends before its states may")
        must(Number.isSafeInteger(endsBy(sightedAt, times)), "no time at all")
      })
    )
  ]
}
