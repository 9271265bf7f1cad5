/**
 * Removes from a lock file every package without a known integrity, and from its dependents the entry that asks for it.
 * So everything that `npm ci` installs is compared with a hash in this repository.
 *
 * These are optional packages for platforms on which this program does not run (docs/contributing.md names them). The
 * registry in use does not serve them, and without an integrity npm would accept any answer of a registry. `npm run
 * lock` runs this after every change of dependencies. A package that is not optional is never removed: the script fails
 * instead.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readLock, unverified, withoutUnverified } from "./lockfile/Unverified.ts"

/** The lock file of the program, and that of the packages that only mutation testing needs. */
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
