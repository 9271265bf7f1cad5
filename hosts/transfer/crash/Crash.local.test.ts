import { describe, it } from "@effect/vitest"
import { strikeAt } from "./testing/Strikes.ts"

describe("a host that is killed around a payment", () => {
  it.live("has paid or refunded exactly once when it is back: signing, storing, broadcasting, recording", () =>
    strikeAt((place) => /^(?:Payments\.signOnce|Treasury\.broadcast|Payments\.recordSent)/.test(place)), 180_000)

  it.live("has let a sponsor pay, and swept an address, exactly once when it is back: holding, capturing, sweeping", () =>
    strikeAt((place) => ["SponsorHolds.hold:after", "SponsorHolds.settle:before", "SponsorHolds.settle:after", "Payments.signOnce sweep:after"].includes(place), { flows: ["sponsored", "address"] }), 180_000)
})
