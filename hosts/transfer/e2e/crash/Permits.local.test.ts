import { describe, it } from "@effect/vitest"
import { injectPermitCrashes } from "./testing/PermitCrashInjection.ts"

describe("a host that is killed around a permit", () => {
  it.live("has submitted it once after the restart: stored, signed, broadcast, closed", () =>
    injectPermitCrashes((place) =>
      /^(?:PermitSubmissions\.queue:after|PermitSubmissions\.close done|Payments\.signOnce permit:after|Treasury\.broadcast:after)/
        .test(place)
    ))
})
