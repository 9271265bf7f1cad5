import { describe, it } from "@effect/vitest"
import { strikePermits } from "./testing/PermitStrikes.ts"

describe("a host that is killed anywhere on a permit's way", () => {
  it.live("has submitted it once when it is back", () => strikePermits(() => true), 1_800_000)
})
