/**
 * A child process of `Lock.test.ts`: takes the store named by its argument, reports the result, and holds the store
 * until it is killed.
 */
import { Effect } from "effect"
import { acquire } from "../engine/Lock.ts"

const program = Effect.scoped(Effect.gen(function*() {
  yield* acquire(process.argv[2] ?? "")
  process.stdout.write("taken\n")
  return yield* Effect.never
}))

Effect.runPromise(program).catch((error: unknown) => process.stdout.write(`${String(error)}\n`))

// A pending promise alone does not keep a process alive.
setInterval(() => undefined, 60_000)
