/**
 * The store of a simulated world: tables in memory that all ports of `ports/store` share, with the guarantees of the
 * real stores. A call is one synchronous step, so nothing interleaves with it. A transaction of several calls is
 * serial: while one is open, every other call waits, as on SQLite. Not for production: nothing survives the process.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { StoreUnavailable } from "../../ports/store/StoreUnavailable.ts"
import { makeNotices } from "./Notices.ts"
import { type Journal, WriteRefused } from "./Table.ts"
import { makeTables } from "./Tables.ts"
import type { Tables } from "./Tables.ts"

/** The transaction that a fiber is in. */
const Inside = Context.Reference<object | undefined>("causeway/property-tests/memory-store/Inside", {
  defaultValue: () => undefined
})

export class MemoryStore extends Context.Service<MemoryStore, {
  /**
   * One call: reads and writes at once. A write that a constraint forbids takes back all of them, and fails as
   * `StoreUnavailable` of this operation.
   */
  readonly call: <A>(operation: string, body: (tables: Tables) => A) => Effect.Effect<A, StoreUnavailable>
  /** The same, for a call that may be refused: a refusal takes back what it wrote. */
  readonly attempt: <A, E>(
    operation: string,
    body: (tables: Tables) => Result.Result<A, E>
  ) => Effect.Effect<A, E | StoreUnavailable>
  /**
   * Several calls, all or nothing: a failure or an interruption takes back everything that they wrote. Inside another
   * transaction it can fail alone.
   */
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreUnavailable, R>
  /** Takes a backup between two transactions. What is returned puts it in the place of the tables. */
  readonly backUp: Effect.Effect<Effect.Effect<void>>
  /** What was committed, by topic. */
  readonly notices: Pick<ReturnType<typeof makeNotices>, "after" | "heard">
}>()("causeway/property-tests/memory-store/MemoryStore") {
  /** An empty store. */
  static readonly layer: Layer.Layer<MemoryStore> = Layer.sync(MemoryStore, () => makeMemoryStore())
}

const makeMemoryStore = (): MemoryStore["Service"] => {
  const journal: Journal = []
  const tables = makeTables(journal)
  const notices = makeNotices(journal, tables)
  const turn = Semaphore.makeUnsafe(1)
  let open: object | undefined

  const commit = (): void => {
    if (journal.length === 0) return
    journal.length = 0
    notices.tell()
  }

  const takeBack = (mark: number): void => {
    while (journal.length > mark) journal.pop()?.()
  }

  const step = <A, E>(
    operation: string,
    body: (tables: Tables) => Result.Result<A, E>
  ): Exit.Exit<A, E | StoreUnavailable> => {
    const mark = journal.length
    try {
      const result = body(tables)
      if (Result.isSuccess(result)) return Exit.succeed(result.success)
      takeBack(mark)
      return Exit.fail(result.failure)
    } catch (thrown) {
      takeBack(mark)
      return thrown instanceof WriteRefused
        ? Exit.fail(new StoreUnavailable({ operation }))
        : Exit.failCause(Cause.die(thrown))
    } finally {
      if (open === undefined) commit()
    }
  }

  const attempt: MemoryStore["Service"]["attempt"] = (operation, body) =>
    Effect.withFiber((fiber) =>
      open === undefined || fiber.getRef(Inside) === open
        ? step(operation, body)
        : turn.withPermit(Effect.suspend(() => step(operation, body)))
    )

  const savepoint = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const mark = journal.length
      return Effect.onExit(effect, (exit) => Effect.sync(() => Exit.isFailure(exit) ? takeBack(mark) : undefined))
    })

  const transaction: MemoryStore["Service"]["transaction"] = (effect) =>
    Effect.withFiber((fiber) => {
      if (open !== undefined && fiber.getRef(Inside) === open) return savepoint(effect)
      // What opens is closed, wherever the fiber is interrupted.
      return turn.withPermit(Effect.uninterruptibleMask((restore) => {
        const mine = {}
        open = mine
        return restore(savepoint(effect)).pipe(
          Effect.provideService(Inside, mine),
          Effect.ensuring(Effect.sync(() => {
            open = undefined
            commit()
          }))
        )
      }))
    })

  return {
    attempt,
    call: (operation, body) => attempt(operation, (all) => Result.succeed(body(all))),
    transaction,
    backUp: turn.withPermit(Effect.sync(() => {
      const putBack = Object.values(tables).flatMap((each) => typeof each === "function" ? [] : [each.keep()])
      return turn.withPermit(Effect.sync(() => putBack.forEach((put) => put())))
    })),
    notices
  }
}
