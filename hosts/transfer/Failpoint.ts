/** Ends this very process, at once and without any cleaning up, when the named failpoint is reached: for crash tests. */
import { Effect, Layer } from "effect"
import { Failpoints } from "../../ports/Failpoints.ts"

/** SECURITY: a failpoint outside the local environment is ignored. */
export const layer = (environment: string, failpoint: string | undefined) =>
  environment === "local" && failpoint !== undefined
    ? Layer.succeed(Failpoints, (name) =>
      name === failpoint ? Effect.sync(() => process.kill(process.pid, "SIGKILL")).pipe(Effect.andThen(Effect.never)) : Effect.void)
    : Layer.empty
