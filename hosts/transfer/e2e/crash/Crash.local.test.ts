import { describe, it } from "@effect/vitest"
import { injectCrashesAt } from "./testing/CrashInjection.ts"

describe("a host that is killed around a payment", () => {
  it.live("has paid or refunded exactly once when it is back: signing, storing, broadcasting, recording", () =>
    injectCrashesAt((place) => /^(?:Payments\.signOnce|Treasury\.broadcast|Payments\.recordSent)/.test(place)))

  it.live("between signing and sending what the vault pays has paid exactly once when it is back: a swap in the fill, a gas topup, what falls back", () =>
    injectCrashesAt((place) => /^Payments\.signOnce \w+:after$/.test(place), {
      scenarios: ["swapped", "topped", "fallback"]
    }))

  it.live("has let a sponsor pay exactly once when it is back: holding and capturing", () =>
    injectCrashesAt(
      (place) => ["SponsorHolds.hold:after", "SponsorHolds.settle:before", "SponsorHolds.settle:after"].includes(place),
      { scenarios: ["sponsored"] }
    ))
})
