import { describe, it } from "@effect/vitest"
import { injectBitcoinCrashes } from "./testing/BitcoinCrashInjection.ts"

describe("a host that is killed before and after every write and every broadcast, with Bitcoin", () => {
  it.live(
    "has paid or refunded each deposit exactly once, to the unit, after the restart",
    () => injectBitcoinCrashes,
    5_400_000
  )
})
