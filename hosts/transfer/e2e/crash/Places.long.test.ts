import { describe, it } from "@effect/vitest"
import { allFlows, strikeAt } from "./testing/Strikes.ts"

describe("a host that is killed before and after every write and every broadcast", () => {
  it.live(
    "has paid or refunded each deposit exactly once, to the unit, when it is back",
    () => strikeAt(() => true, { flows: allFlows, asManyAsFit: true }),
    1_800_000
  )
})
