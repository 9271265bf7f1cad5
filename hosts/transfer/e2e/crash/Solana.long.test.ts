import { describe, it } from "@effect/vitest"
import { solanaScenarios, injectSolanaCrashesAt } from "./testing/SolanaCrashInjection.ts"

describe("a host that is killed before and after every write and every broadcast, with Solana", () => {
  it.live(
    "has paid or refunded each deposit exactly once, to the unit, after the restart",
    () => injectSolanaCrashesAt({}, { scenarios: solanaScenarios, asManyAsFit: true }),
    1_800_000
  )
})
