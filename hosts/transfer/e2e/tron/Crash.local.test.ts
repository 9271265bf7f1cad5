import { describe, it } from "@effect/vitest"
import { injectTronCrashesAt } from "../crash/testing/TronCrashInjection.ts"

/**
 * Between signing, sending and recording, where a second payment could arise; and around the proof that a payment which
 * no block took can never be executed. `Tron.long` kills at every place.
 */
const places = {
  arriving: ["Payments.signOnce fill:after", "Treasury.broadcast:after"],
  returned: ["Payments.signOnce refund:after"],
  returnedToken: ["Treasury.broadcast:after"],
  expired: ["Treasury.broadcast:after", "Payments.setAside fill:after"]
} as const

describe("a host that is killed around a payment on Tron", () => {
  it.live("has paid or refunded exactly once after the restart: the same bytes, or signed again once they have expired", () =>
    injectTronCrashesAt(places, { scenarios: ["arriving", "returned", "returnedToken", "expired"] }))
})
