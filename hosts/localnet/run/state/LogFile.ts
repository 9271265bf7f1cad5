/** Writes the service's log to a file, so that the terminal stays readable. Errors are shown there too. */
import type { Layer } from "effect"
import { Effect, Logger } from "effect"
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"

/** Replaces the usual loggers. The file starts empty. */
export const layer = (path: string, show: (line: string) => void): Layer.Layer<never, LocalnetError> =>
  Logger.layer([
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
          return openSync(path, "w", 0o600)
        },
        catch: (cause) => new LocalnetError({ message: `cannot write ${path}: ${reasonOf(cause)}` })
      }),
      (file) => Effect.sync(() => closeSync(file))
    ).pipe(
      Effect.map((file) =>
        Logger.make((entry) => {
          const line = Logger.formatLogFmt.log(entry)
          writeSync(file, `${line}\n`)
          if (entry.logLevel === "Error" || entry.logLevel === "Fatal") show(line)
        })
      )
    )
  ])
