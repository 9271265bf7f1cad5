/** `npm start` as a process, without the transfer service. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { readJson } from "../run/state/AtomicFile.ts"
import { Localnet } from "../run/state/LocalnetFile.ts"
import { pathsBelow } from "../run/state/Paths.ts"
import { moduleOf, runProgram } from "./ChildProgram.ts"
import type { ChildProgram } from "./ChildProgram.ts"

/** `npm start` in its own folder, with a transfer service that does nothing. */
export const start = (
  root: string,
  environment: Readonly<Record<string, string>> = {},
  words: ReadonlyArray<string> = []
) =>
  runProgram(
    `import { launch } from ${moduleOf("run/Launch.ts")}
     import { pathsBelow } from ${moduleOf("run/state/Paths.ts")}
     import { standIns } from ${moduleOf("testing/StandIn.ts")}
     await launch(async () => standIns, ${JSON.stringify(words)}, pathsBelow(${JSON.stringify(root)}))`,
    environment
  )

/** Waits until it serves. */
export const serving = (program: ChildProgram) =>
  Effect.andThen(program.written("Serving."), Effect.sync(() => assert.include(program.output(), "Serving.")))

/** The file that it wrote. */
export const described = (root: string) =>
  Effect.map(readJson(pathsBelow(root).localnetFile, Localnet), Option.getOrThrow)
