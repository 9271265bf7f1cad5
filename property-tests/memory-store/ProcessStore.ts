/**
 * The store in memory as one process reaches it. What comes between them may fail, wait, or kill the process: before a
 * call, before a commit, and after it, when the answer is lost.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StoreUnavailable } from "../../ports/store/StoreUnavailable.ts"
import type { MemoryStore } from "./MemoryStore.ts"

/** What happens before a call goes on. Undefined when nothing does, as nearly always. */
type Hindrance<E> = Effect.Effect<void, E> | undefined

/** Each is asked with the name of the call, or with `transaction`. */
export interface Passage {
  /** Before whatever begins outside of a transaction. A process that stands still waits here, and holds nothing up. */
  readonly begins: () => Hindrance<never>
  readonly beforeCall: (operation: string) => Hindrance<StoreUnavailable>
  /** A failure takes back what is about to be committed. A call outside of a transaction is one by itself. */
  readonly beforeCommit: (operation: string) => Hindrance<StoreUnavailable>
  readonly afterCommit: (operation: string) => Hindrance<StoreUnavailable>
}

/** Goes on after what hinders. */
const after = <A, E, R>(
  hindrance: Hindrance<StoreUnavailable>,
  next: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | StoreUnavailable, R> =>
  hindrance === undefined ? next() : Effect.andThen(hindrance, Effect.suspend(next))

/** Whether a fiber's calls belong to a transaction of its process. */
const Within = Context.Reference<boolean>("causeway/property-tests/memory-store/Within", { defaultValue: () => false })

export const reachedThrough = (
  store: MemoryStore["Service"],
  { afterCommit, beforeCall, beforeCommit, begins }: Passage
): MemoryStore["Service"] => {
  const tell = <A>(operation: string) => (result: A): Effect.Effect<A, StoreUnavailable> => {
    const hindrance = afterCommit(operation)
    return hindrance === undefined ? Effect.succeed(result) : Effect.as(hindrance, result)
  }
  const attempt: MemoryStore["Service"]["attempt"] = (operation, body) =>
    Effect.withFiber((fiber) => {
      const reached = store.attempt(operation, body)
      if (fiber.getRef(Within)) return after(beforeCall(operation), () => reached)
      return after(begins(), () =>
        after(beforeCall(operation), () =>
          after(beforeCommit(operation), () =>
            Effect.flatMap(reached, tell(operation)))))
    })
  return {
    ...store,
    attempt,
    call: (operation, body) => attempt(operation, (tables) => Result.succeed(body(tables))),
    transaction: (effect) =>
      Effect.withFiber((fiber) => {
        if (fiber.getRef(Within)) return store.transaction(effect)
        const committing = Effect.tap(
          Effect.provideService(effect, Within, true),
          () => beforeCommit("transaction") ?? Effect.void
        )
        return after(begins(), () => Effect.flatMap(store.transaction(committing), tell("transaction")))
      })
  }
}
