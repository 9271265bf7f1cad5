import { describe, it } from "@effect/vitest"
import { injectTronCrashesAt, tronScenarios } from "./testing/TronCrashInjection.ts"

describe("a host that is killed before and after every write and every broadcast, with Tron", () => {
  it.live(
    "has paid or refunded each deposit exactly once, to the unit, after the restart",
    () => injectTronCrashesAt({}, { scenarios: tronScenarios, asManyAsFit: true }),
    1_800_000
  )
})
