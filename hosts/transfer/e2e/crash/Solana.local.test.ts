import { describe, it } from "@effect/vitest"
import { injectSolanaCrashesAt } from "./testing/SolanaCrashInjection.ts"

/**
 * Between signing and sending, where a second payment could arise; and around the proof that a signed payment can never
 * be executed.
 */
const places = {
  arriving: ["Treasury.broadcast:after"],
  returned: ["Payments.signOnce refund:after"],
  expired: ["Treasury.outcome Expired:after", "Payments.setAside fill:after"]
} as const

describe("a host that is killed around a payment on Solana", () => {
  it.live("has paid or refunded exactly once after the restart: the same bytes, or signed again once they have expired", () =>
    injectSolanaCrashesAt(places, { scenarios: ["arriving", "returned", "expired"] }))
})
