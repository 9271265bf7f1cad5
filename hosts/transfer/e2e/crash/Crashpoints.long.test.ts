import { describe, it } from "@effect/vitest"
import { allScenarios, injectCrashesAt } from "./testing/CrashInjection.ts"

describe("a host that is killed before and after every write and every broadcast", () => {
  it.live(
    "has paid or refunded each deposit exactly once, to the unit, after the restart",
    () => injectCrashesAt(() => true, { scenarios: allScenarios, asManyAsFit: true }),
    1_800_000
  )
})
