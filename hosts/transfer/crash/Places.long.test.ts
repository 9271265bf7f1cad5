import { describe, it } from "@effect/vitest"
import { requirePostgres } from "../../../scripts/testing/Capability.ts"
import { allFlows, strikeAt } from "./testing/Strikes.ts"

const programs = requirePostgres()

describe("a host that is killed before and after every write and every broadcast", () => {
  it.live("has paid or refunded each deposit exactly once, to the unit, when it is back: one process on SQLite", () => strikeAt(() => true, { flows: allFlows }), 1_200_000)

  it.live.skipIf(programs === undefined)("and so has a worker over PostgreSQL, whose API goes on", () => strikeAt(() => true, programs === undefined ? {} : { flows: allFlows, postgres: programs }), 1_200_000)
})
