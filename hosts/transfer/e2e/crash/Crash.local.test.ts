import { describe, it } from "@effect/vitest"
import { injectCrashesAt } from "./testing/CrashInjection.ts"

describe("a host that is killed around a payment", () => {
  it.live("has paid or refunded exactly once after the restart: signing, storing, broadcasting, recording", () =>
    injectCrashesAt((place) => /^(?:Payments\.signOnce|Treasury\.broadcast|Payments\.recordSent)/.test(place)))

  it.live("between signing and sending a payment of the vault has paid exactly once after the restart: a swap in the fill, a gas topup, a fallback", () =>
    injectCrashesAt((place) => /^Payments\.signOnce \w+:after$/.test(place), {
      scenarios: ["swapped", "topped", "fallback"]
    }))

  it.live("has let a sponsor pay exactly once after the restart: holding and capturing", () =>
    injectCrashesAt(
      (place) => ["SponsorHolds.hold:after", "SponsorHolds.settle:before", "SponsorHolds.settle:after"].includes(place),
      { scenarios: ["sponsored"] }
    ))
})
