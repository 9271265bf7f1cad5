import { describe, it } from "@effect/vitest"
import { injectPayoutCrashes } from "./testing/PayoutCrashInjection.ts"

describe("a host that is killed at any write of a credit or a payout", () => {
  it.live("has credited and paid each once, to the unit, after the restart", () =>
    injectPayoutCrashes((place) => !place.includes("nothing")))
})
