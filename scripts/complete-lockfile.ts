/**
 * Adds to package-lock.json the optional packages of other platforms that the registry at hand did not have.
 *
 * `npm ci` refuses a lock file that lacks an optional dependency, even one of a platform that is never installed here,
 * and `npm install` leaves out what a partial mirror cannot serve. Run it after every change of dependencies; the entry
 * is what npm itself writes, without the integrity that only a full registry knows. It adds, and changes nothing.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const Package = Schema.StructWithRest(
  Schema.Struct({ version: Schema.optionalKey(Schema.String), optionalDependencies: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) }),
  [Schema.Record(Schema.String, Schema.Json)]
)
const Lock = Schema.StructWithRest(
  Schema.Struct({ packages: Schema.Record(Schema.String, Package) }),
  [Schema.Record(Schema.String, Schema.Json)]
)

const systems = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"]
const processors: ReadonlyArray<readonly [word: RegExp, cpu: string]> = [
  [/(x64|amd64)/, "x64"], [/arm64/, "arm64"], [/arm/, "arm"], [/ia32/, "ia32"], [/ppc64/, "ppc64"],
  [/riscv64/, "riscv64"], [/s390x/, "s390x"], [/mips64el/, "mips64el"], [/loong64/, "loong64"], [/wasm32/, "wasm32"]
]

/** The restriction that the name of a platform package speaks of; undefined when it names no platform. */
const platformOf = (name: string) => {
  const tail = name.slice(name.lastIndexOf("/") + 1)
  const os = systems.find((system) => tail.includes(system))
  const cpu = processors.find(([word]) => word.test(tail))?.[1]
  return os === undefined || cpu === undefined ? undefined : { os: [os], cpu: [cpu] }
}

const path = join(import.meta.dirname, "..", "package-lock.json")
const lock = Schema.decodeUnknownSync(Schema.fromJsonString(Lock))(readFileSync(path, "utf8"))
const packages = { ...lock.packages }
const added: Array<string> = []
for (const parent of Object.values(lock.packages)) {
  for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`
    const platform = platformOf(name)
    if (place in packages || platform === undefined || !/^\d/.test(range)) continue
    packages[place] = { version: range, optional: true, ...platform }
    added.push(name)
  }
}
const sorted = Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => a < b ? -1 : 1))
writeFileSync(path, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`)
console.log(added.length === 0 ? "package-lock.json is complete" : `added ${added.length}: ${added.join(", ")}`)
