/**
 * Files that are either complete or absent, and readable by their owner only.
 *
 * Written beside their place, flushed, and moved there. Not for large data.
 */
import { Effect, Option, Schema } from "effect"
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"

/** Writes `content` to `path` with mode 0600. Makes the folder when it is missing. */
export const write = (path: string, content: string): Effect.Effect<void, LocalnetError> =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${process.pid}.tmp`
      rmSync(draft, { force: true })
      const file = openSync(draft, "wx", 0o600)
      writeSync(file, content)
      fsyncSync(file)
      closeSync(file)
      renameSync(draft, path)
    },
    catch: (cause) => new LocalnetError({ message: `cannot write ${path}: ${reasonOf(cause)}` })
  })

/** The content of a JSON file. None when there is no such file. Errors: unreadable, or not of that shape. */
export const readJson = <A, E>(
  path: string,
  schema: Schema.Codec<A, E>
): Effect.Effect<Option.Option<A>, LocalnetError> =>
  Effect.try({
    try: () => {
      try {
        return Option.some(readFileSync(path, "utf8"))
      } catch (cause) {
        if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return Option.none<string>()
        throw cause
      }
    },
    catch: (cause) => new LocalnetError({ message: `cannot read ${path}: ${reasonOf(cause)}` })
  }).pipe(
    Effect.flatMap(Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (text) =>
        Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
          Effect.map(Option.some),
          Effect.mapError((error) => new LocalnetError({ message: `${path} is damaged: ${error.message}` }))
        )
    }))
  )
