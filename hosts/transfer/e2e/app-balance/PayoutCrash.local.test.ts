import { describe, it } from "@effect/vitest"
import { injectPayoutCrashes } from "./testing/PayoutCrashInjection.ts"

describe("a host that is killed around a payout", () => {
  it.live("has paid it once and lost nothing after the restart: signed, broadcast", () =>
    injectPayoutCrashes((place) => /^(?:Payments\.signOnce payout:after|Treasury\.broadcast:after)$/.test(place)))
})
