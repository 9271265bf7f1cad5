/**
 * Warns at start about environment variables that look like a misspelling of one of ours, because an unknown variable
 * is silently ignored. Compares only with our variables that are not set, and never logs a value.
 */
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { ConfigsFolder } from "./ConfigsFolder.ts"

/** Shorter names are close to too many words. */
const SHORTEST = 5

/** The number of letters that are wrong, missing, extra, or swapped with a neighbour. */
export const editDistance = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      next.push(Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      ))
    }
    before = last
    last = next
  }
  return last[other.length] ?? 0
}

export interface Misspelled {
  readonly name: string
  readonly meant: string
}

/** `set`: the names in the environment. `known`: the variables that the service reads. */
export const misspelled = (set: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<Misspelled> => {
  const own = new Set(known)
  const there = new Set(set)
  const missing = known.filter((name) => !there.has(name) && name.length >= SHORTEST)
  return set.filter((name) => !own.has(name)).flatMap((name) => {
    const [closest] = missing
      .map((meant) => ({ name, meant, distance: editDistance(name.toUpperCase(), meant) }))
      .filter(({ distance, meant }) => distance <= (meant.length < 10 ? 1 : 2))
      .toSorted((left, right) => left.distance - right.distance)
    return closest === undefined ? [] : [{ name, meant: closest.meant }]
  })
}

/** The variables that an environment's files refer to. None for a missing file, which is reported elsewhere. */
const namedBy = (environment: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const folder = yield* ConfigsFolder
    const texts = yield* Effect.forEach(["chains", "chains.hub"], (file) =>
      Effect.tryPromise(() =>
        readFile(new URL(`${file}.${environment}.json`, folder), "utf8")
      ).pipe(
        Effect.orElseSucceed(() => "")
      ))
    return texts.flatMap((text) => [...text.matchAll(/"\$([A-Z][A-Z0-9_]*)"/gu)].map(([, name = ""]) => name))
  })

/** `own`: the variables of the host. */
export const warnOfMisspellings = Effect.fnUntraced(
  function*(own: ReadonlyArray<string>, environment: Readonly<Record<string, string | undefined>> = process.env) {
    const name = environment["ENVIRONMENT"] ?? ""
    const known = [...own, ...(/^[a-z0-9.]+$/u.test(name) ? yield* namedBy(name) : [])]
    const set = Object.entries(environment).flatMap(([key, value]) => value === undefined || value === "" ? [] : [key])
    yield* Effect.forEach(misspelled(set, known), (found) =>
      Effect.logWarning(
        `${found.name} is not a variable of this service, and ${found.meant} is not set: is it a misspelling?`
      ), { discard: true })
  }
)
