import { describe, it } from "@effect/vitest"
import { injectPayoutCrashes } from "./testing/PayoutCrashInjection.ts"

describe("a host that is killed around a payout", () => {
  it.live("has paid it once and lost nothing after the restart: reserved, signed, broadcast", () =>
    injectPayoutCrashes((place) =>
      /^(?:Payouts\.reserve:after|Payments\.signOnce payout:after|Treasury\.broadcast:after)$/.test(place)
    ))
})
