import { describe, it } from "@effect/vitest"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { allScenarios, injectCrashesAt } from "./testing/CrashInjection.ts"

const programs = requirePostgres()

describe("a worker over PostgreSQL that is killed before and after every write and every broadcast, while the API continues", () => {
  it.live.skipIf(programs === undefined)(
    "has paid or refunded each deposit exactly once, to the unit, after the restart",
    () =>
      injectCrashesAt(
        () => true,
        programs === undefined ? {} : { scenarios: allScenarios, postgres: programs, asManyAsFit: true }
      ),
    1_800_000
  )
})
