/**
 * `$NAME` anywhere in a configuration file is replaced by the environment variable of that name (CONFIG-3).
 *
 * Missing variables are reported. There is no silent fallback to a public endpoint.
 */
import { Effect, Predicate } from "effect"
import { Problem, readText } from "./Variables.ts"

const reference = /^\$([A-Z][A-Z0-9_]*)$/

/** The same JSON with every reference replaced, or a problem that names each variable that is not set. */
export const substitute = Effect.fnUntraced(function*(json: unknown) {
  const missing = new Set<string>()
  const go: (value: unknown) => Effect.Effect<unknown> = Effect.fnUntraced(function*(value: unknown) {
    if (typeof value === "string") {
      const name = reference.exec(value)?.[1]
      if (name === undefined) return value
      const text = yield* readText(name)
      if (text === undefined) missing.add(name)
      return text ?? value
    }
    if (Array.isArray(value)) return yield* Effect.forEach(value, go)
    if (!Predicate.isObject(value)) return value
    const entries = yield* Effect.forEach(
      Object.entries(value),
      ([key, member]) => Effect.map(go(member), (replaced) => [key, replaced] as const)
    )
    return Object.fromEntries(entries)
  })
  const replaced = yield* go(json)
  return missing.size === 0
    ? replaced
    : yield* new Problem({ message: `not set, but named by the chain configuration: ${[...missing].join(", ")}` })
})
