import { describe, it } from "@effect/vitest"
import { injectPermitCrashes } from "./testing/PermitCrashInjection.ts"

describe("a host that is killed around a permit", () => {
  it.live("has submitted it once after the restart: signed, broadcast", () =>
    injectPermitCrashes((place) => /^(?:Payments\.signOnce permit:after|Treasury\.broadcast:after)/.test(place)))
})
