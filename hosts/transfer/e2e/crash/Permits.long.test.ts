import { describe, it } from "@effect/vitest"
import { injectPermitCrashes } from "./testing/PermitCrashInjection.ts"

describe("a host that is killed at any point of a permit", () => {
  it.live("has submitted it once after the restart", () => injectPermitCrashes(() => true), 1_800_000)
})
