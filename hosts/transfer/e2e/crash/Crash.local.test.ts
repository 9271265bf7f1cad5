import { describe, it } from "@effect/vitest"
import { injectCrashesAt } from "./testing/CrashInjection.ts"

/** Only the places where a second payment could arise. `Crashpoints.long` kills at every place of every scenario. */
describe("a host that is killed around a payment", () => {
  it.live("has paid or refunded exactly once after the restart: signed and stored; broadcast and not recorded", () =>
    injectCrashesAt((place, scenario) =>
      /^Payments\.signOnce \w+:after$/.test(place) || (scenario === "fill" && place === "Treasury.broadcast:after")
    ))

  it.live("between signing and sending a payment of the vault has paid exactly once after the restart", () =>
    injectCrashesAt((place) => /^Payments\.signOnce \w+:after$/.test(place), { scenarios: ["swapped"] }))

  it.live("has let a sponsor pay exactly once after the restart: holding and capturing", () =>
    injectCrashesAt((place) => ["SponsorHolds.hold:after", "SponsorHolds.settle:before"].includes(place), {
      scenarios: ["sponsored"]
    }))
})
