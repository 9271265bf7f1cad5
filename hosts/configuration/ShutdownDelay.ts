/** How long a host still accepts requests after it was asked to stop. One variable for both hosts. */
import { Schema } from "effect"
import type { Variable } from "./Variables.ts"

/** Longer than idle connections are kept (node's 5 s), so none is left when the host stops accepting. */
const DEFAULT_SECONDS = 6

export const endingDelay: Variable<number> = {
  name: "SHUTDOWN_DELAY_SECONDS",
  meaning:
    "how long after SIGTERM requests are still taken, while readiness is 503, 0 to 600; 6 when unset, 0 in the local environment",
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600 })))
  )
}

/** Milliseconds. */
export const endingDelayOf = (environment: string, seconds: number | undefined): number =>
  (seconds ?? (environment === "local" ? 0 : DEFAULT_SECONDS)) * 1000
