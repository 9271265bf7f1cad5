/** Finds the packages of a lock file that `npm ci` could not verify, and removes them from it. */
import { Schema } from "effect"

const Package = Schema.Struct({
  integrity: Schema.optionalKey(Schema.String),
  optional: Schema.optionalKey(Schema.Boolean),
  optionalDependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

/** The part of package-lock.json that is read. */
const Lock = Schema.Struct({ packages: Schema.Record(Schema.String, Package) })
export type Lock = typeof Lock.Type

export const readLock = Schema.decodeUnknownSync(Schema.fromJsonString(Lock))

/** The lock file lists the program itself under the empty name. */
const ROOT = ""

/** The places of packages that have no integrity of a kind that npm checks. */
export const unverified = ({ packages }: Lock): ReadonlyArray<string> =>
  Object.entries(packages).filter(([place, { integrity }]) =>
    place !== ROOT && !/^sha512-[A-Za-z0-9+/]{86}==/.test(integrity ?? "")
  ).map(([place]) => place)

/** Resolves a name as Node does: within the parent, beside it, or above. */
const standsFor = (packages: Lock["packages"], parent: string, name: string): boolean => {
  if (`${parent === ROOT ? "" : `${parent}/`}node_modules/${name}` in packages) return true
  const above = parent.lastIndexOf("/node_modules/")
  return parent !== ROOT && standsFor(packages, above < 0 ? ROOT : parent.slice(0, above), name)
}

/** Optional dependencies that no package in the lock file provides. `npm ci` refuses a lock file that has one. */
export const dangling = (
  { packages }: Lock
): ReadonlyArray<string> => [
  ...new Set(
    Object.entries(packages).flatMap(([parent, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter((name) => !standsFor(packages, parent, name))
    )
  )
]

/** The lock file's text without these packages and without the entries that ask for them, otherwise as npm wrote it. */
export const withoutUnverified = (text: string): { readonly text: string; readonly removed: ReadonlyArray<string> } => {
  const lock = readLock(text)
  const removed = unverified(lock)
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(([place]) => !removed.includes(place)))
  const gone = new Set([...removed, ...dangling({ packages })])
  const without = (key: string, value: unknown): unknown =>
    gone.has(key) || (key === "optionalDependencies" && isEmpty(value, gone)) ? undefined : value
  return { text: `${JSON.stringify(JSON.parse(text), without, 2)}\n`, removed }
}

const isEmpty = (value: unknown, gone: ReadonlySet<string>): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).every((name) => gone.has(name))
