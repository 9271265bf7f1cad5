/**
 * Runs the program of a local chain: it runs until it is stopped, and prints a fatal error in one sentence, without a
 * stack.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import type { Scope } from "effect"

/** `started` holds the chain, which ends with the process. */
export const runChain = (started: Effect.Effect<unknown, { readonly message: string }, Scope.Scope>): void =>
  NodeRuntime.runMain(
    Effect.andThen(started, Effect.never).pipe(
      Effect.scoped,
      Effect.catch(({ message }) =>
        Effect.sync(() => {
          process.stderr.write(`${message}\n`)
          process.exitCode = 1
        })
      )
    )
  )
