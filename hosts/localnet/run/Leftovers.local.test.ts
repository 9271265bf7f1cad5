import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { Anvil } from "../nodes/ethereum/Anvil.ts"
import { anvilBinary } from "../nodes/ethereum/AnvilBinary.ts"
import { anyFree } from "../nodes/Port.ts"
import * as Leftovers from "./Leftovers.ts"
import { pathsBelow } from "./state/Paths.ts"
import { isRunning } from "./Running.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"

describe("Leftovers", () => {
  it.live("of this folder are ended, and chains of others are not", () =>
    Effect.scoped(Effect.gen(function*() {
      const paths = pathsBelow(yield* temporaryFolder)
      mkdirSync(paths.state, { recursive: true })
      const others = pathsBelow(yield* temporaryFolder)
      mkdirSync(others.state, { recursive: true })
      const foreign = yield* Anvil.start({ chainId: 616199, stateFile: others.chain("alpha") })
      // Started without a guard: as if the guard had been killed.
      const port = yield* anyFree
      const orphan = spawn(
        Option.getOrThrow(anvilBinary()),
        ["--quiet", "--port", `${port}`, "--state", paths.chain("beta")],
        { stdio: "ignore" }
      )
      yield* Effect.sleep(10).pipe(
        Effect.repeat({ while: () => Effect.map(Leftovers.find(paths), (pids) => pids.length === 0) })
      )
      assert.deepStrictEqual(yield* Leftovers.clear(paths), [orphan.pid ?? 0])
      assert.deepStrictEqual(yield* Leftovers.find(paths), [])
      assert.isTrue(isRunning(foreign.pid))
      assert.deepStrictEqual(yield* Leftovers.clear(paths), [])
    })))
})
