/**
 * The store in memory as one process reaches it. What comes between them may fail, wait, or kill the process: before a
 * call, before a commit, and after it, when the answer is lost.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StoreUnavailable } from "../../ports/store/StoreUnavailable.ts"
import type { MemoryStore } from "./MemoryStore.ts"

/** Each is run with the name of the call, or with `transaction`. */
export interface Passage {
  /** Before whatever begins outside of a transaction. A process that stands still waits here, and holds nothing up. */
  readonly begins: Effect.Effect<void>
  readonly beforeCall: (operation: string) => Effect.Effect<void, StoreUnavailable>
  /** A failure takes back what is about to be committed. A call outside of a transaction is one by itself. */
  readonly beforeCommit: (operation: string) => Effect.Effect<void, StoreUnavailable>
  readonly afterCommit: (operation: string) => Effect.Effect<void, StoreUnavailable>
}

/** Whether a fiber's calls belong to a transaction of its process. */
const Within = Context.Reference<boolean>("causeway/property-tests/memory-store/Within", { defaultValue: () => false })

export const reachedThrough = (
  store: MemoryStore["Service"],
  { afterCommit, beforeCall, beforeCommit, begins }: Passage
): MemoryStore["Service"] => {
  const attempt: MemoryStore["Service"]["attempt"] = (operation, body) =>
    Effect.withFiber((fiber) => {
      const reached = store.attempt(operation, body)
      if (fiber.getRef(Within)) return Effect.andThen(beforeCall(operation), reached)
      return begins.pipe(
        Effect.andThen(beforeCall(operation)),
        Effect.andThen(beforeCommit(operation)),
        Effect.andThen(reached),
        Effect.tap(() => afterCommit(operation))
      )
    })
  return {
    ...store,
    attempt,
    call: (operation, body) => attempt(operation, (tables) => Result.succeed(body(tables))),
    transaction: (effect) =>
      Effect.withFiber((fiber) => {
        if (fiber.getRef(Within)) return store.transaction(effect)
        const committing = Effect.tap(Effect.provideService(effect, Within, true), () => beforeCommit("transaction"))
        return begins.pipe(
          Effect.andThen(store.transaction(committing)),
          Effect.tap(() => afterCommit("transaction"))
        )
      })
  }
}
