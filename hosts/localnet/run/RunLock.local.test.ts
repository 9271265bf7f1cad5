import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pathsBelow } from "./state/Paths.ts"
import * as RunLock from "./RunLock.ts"
import { moduleOf, runProgram } from "../testing/ChildProgram.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"

const holder = (root: string) => `
  import { Effect } from "effect"
  import { pathsBelow } from ${moduleOf("run/state/Paths.ts")}
  import * as RunLock from ${moduleOf("run/RunLock.ts")}
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    yield* RunLock.take(pathsBelow(${JSON.stringify(root)}))
    console.log("held")
    return yield* Effect.sleep("1 minute")
  })))`

describe("RunLock", () => {
  it.live("names the process that holds it, and is free after SIGKILL", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const first = yield* runProgram(holder(root))
      yield* first.written("held")
      const refused = yield* Effect.flip(Effect.scoped(RunLock.take(pathsBelow(root))))
      assert.include(refused.message, `process ${first.pid}`)
      first.kill("SIGKILL")
      yield* RunLock.take(pathsBelow(root))
    })))
})
