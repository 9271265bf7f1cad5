import { describe, it } from "@effect/vitest"
import { strikePayouts } from "./testing/PayoutStrikes.ts"

describe("a host that is killed around a payout", () => {
  it.live("has paid it once and lost nothing when it is back: set aside, signed, broadcast", () =>
    strikePayouts((place) =>
      /^(?:Payouts\.reserve:after|Payments\.signOnce payout:after|Treasury\.broadcast:after)$/.test(place)
    ))
})
