import { describe, it } from "@effect/vitest"
import { injectPermitCrashes } from "./testing/PermitCrashInjection.ts"

describe("a host that is killed anywhere on a permit's way", () => {
  it.live("has submitted it once when it is back", () => injectPermitCrashes(() => true), 1_800_000)
})
