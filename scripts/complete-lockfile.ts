/**
 * Takes out of a lock file every package whose integrity is not known, and out of its dependents what asks for
 * it: what `npm ci` puts on a machine is then always compared with a hash that stands in this repository.
 *
 * These are optional packages of platforms on which this program does not run (docs/contributing.md names them); the
 * registry at hand does not serve them, and without an integrity npm would take whatever a registry answers. `npm run
 * lock` runs it after every change of dependencies. A package that is not optional is never taken out: it fails.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readLock, unverified, withoutUnverified } from "./lockfile/Unverified.ts"

/** The program's own, and that of what only mutation testing needs. */
for (const name of ["package-lock.json", "scripts/mutation/package-lock.json"]) {
  const path = join(import.meta.dirname, "..", name)
  const text = readFileSync(path, "utf8")
  const lock = readLock(text)
  const needed = unverified(lock).filter((place) => lock.packages[place]?.optional !== true)
  if (needed.length > 0) {
    console.error(`${name}: no integrity is known of ${needed.join(", ")}: lock with a registry that serves them`)
    process.exitCode = 1
  } else {
    const { removed, text: complete } = withoutUnverified(text)
    writeFileSync(path, complete)
    console.log(
      removed.length === 0 ? `${name} is complete` : `${name}: took out ${removed.length}: ${removed.join(", ")}`
    )
  }
}
