/**
 * This version completes fillings that the previous version began. The previous one was killed in each of their steps,
 * and this version gets only what it left.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkOut, requirePastCommit } from "../../testing/PastCode.ts"
import type { Scenario } from "./testing/Scenarios.ts"
import { injectCrashesAt } from "./testing/CrashInjection.ts"

/** Writes in each step: what precedes them is repeated, and steps completed before them are read from the store. */
const inEachStep: Partial<Record<Scenario, ReadonlyArray<string>>> = {
  fill: [
    // Seen, its filling not begun; then confirm.
    "Deposits.record:after",
    "Transfers.move depositing:after",
    "Exposures.take:after",
    // Confirmed: decide, and the beginning of fill.pay.
    "Transfers.move pending:after",
    "Payments.signOnce fill:before",
    "Payments.signOnce fill:after",
    "Treasury.broadcast:after",
    "Payments.recordSent fill:after",
    "Payments.recordOutcome fill:before",
    // Shown, and fill.guard.
    "Transfers.move success:after",
    "Ledger.post:before",
    // close.
    "Deposits.close:before",
    "Deposits.close:after"
  ],
  // refund.pay, refund.guard, close.
  refund: [
    "Payments.signOnce refund:before",
    "Payments.signOnce refund:after",
    "Treasury.broadcast:after",
    "Payments.recordOutcome refund:before",
    "Transfers.move refund:after",
    "Deposits.close:before"
  ]
}

const past = requirePastCommit()

describe.skipIf(past === undefined)("an upgrade with fillings in progress", () => {
  it.live("ends each filling that was killed in the previous version, once, to the unit", () =>
    Effect.scoped(
      Effect.flatMap(checkOut(past ?? ""), (root) =>
        injectCrashesAt((place, scenario) => inEachStep[scenario]?.includes(place) === true, { root }))
    ))
})
