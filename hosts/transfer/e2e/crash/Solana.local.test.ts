import { describe, it } from "@effect/vitest"
import { injectSolanaCrashesAt } from "./testing/SolanaCrashInjection.ts"

/**
 * Between sending and recording, where a second payment could arise; and after the proof that a signed payment can never
 * be executed. `Solana.long` kills at every place.
 */
const places = { arriving: ["Treasury.broadcast:after"], expired: ["Payments.setAside fill:after"] } as const

describe("a host that is killed around a payment on Solana", () => {
  it.live("has paid exactly once after the restart: the same bytes, or signed again once they have expired", () =>
    injectSolanaCrashesAt(places, { scenarios: ["arriving", "expired"] }))
})
