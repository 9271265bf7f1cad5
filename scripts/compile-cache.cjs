/*
 * Halves the processor time of a start: keeps what Node compiles of our sources, and finds imported files without
 * asking the file system for each import.
 *
 * What is compiled is kept beside the dependencies, where nobody writes who could not change these anyway; where
 * nothing can be written, as in a read-only container, nothing is kept and nothing else changes.
 * `NODE_DISABLE_COMPILE_CACHE=1` turns that off.
 * To be required before a program: what it imports is compiled before its first line runs.
 */
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return */
"use strict"

const { enableCompileCache, flushCompileCache, registerHooks } = require("node:module")
const { createHash } = require("node:crypto")
const { readFileSync } = require("node:fs")
const { join } = require("node:path")
const { pathToFileURL } = require("node:url")

/** By then a host is up. */
const STARTED_MS = 5_000

// Node 20 has none, and does not get further than the message that says so.
if (enableCompileCache !== undefined) {
  enableCompileCache(join(__dirname, "..", "node_modules", ".cache", "compiled"))
  // Node writes at the end of a process; one that is killed has none.
  setTimeout(() => flushCompileCache(), STARTED_MS).unref()
}

const root = join(__dirname, "..")
const joinedFolder = join(root, "node_modules", ".cache", "hosts")

const jsonOf = (path) => {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

/** By their bytes: what was copied to another machine has other times. */
const fingerprintOf = (paths) => {
  const hash = createHash("sha256")
  try {
    for (const path of paths) hash.update(path).update(readFileSync(join(root, path)))
    return hash.digest("hex")
  } catch {
    return undefined
  }
}

const isSamePackage = ([name, version]) =>
  jsonOf(join(root, "node_modules", name, "package.json"))?.version === version

/**
 * The URL of a program's joined modules (`npm run join`). Undefined where there are none, or when a source or a package
 * is not the one that was joined.
 */
const joinedOf = (url) => {
  const joined = jsonOf(join(joinedFolder, "joined.json"))
  const found = Object.entries(joined?.programs ?? {}).find(([path]) => pathToFileURL(join(root, path)).href === url)
  return found !== undefined && joined.packages.every(isSamePackage) &&
      fingerprintOf(joined.sources) === joined.fingerprint
    ? pathToFileURL(join(joinedFolder, found[1])).href
    : undefined
}

/** Packages that consist of ES modules only and name each file that they import by its whole path. */
const ES_MODULES = /\/node_modules\/(effect|@effect\/[^/]+)\//

/** Packages that our sources import, by their names in the import. All sources share one node_modules. */
const packages = new Map()

// A host imports some 1,400 files by several thousand imports. For each of them Node would resolve links and look for
// the package.json that says what the file is. Our sources and effect's say that by their names. An import that names
// no file still fails, when the file is read.
if (registerHooks !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      const { conditions, parentURL } = context
      if (parentURL === undefined) {
        const url = joinedOf(specifier)
        return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true }
      }
      if (!conditions.includes("import")) return next(specifier, context)
      const isSource = parentURL.endsWith(".ts")
      if (specifier.startsWith(".")) {
        const format = isSource && specifier.endsWith(".ts")
          ? "module-typescript"
          : specifier.endsWith(".js") && ES_MODULES.test(parentURL)
          ? "module"
          : undefined
        return format === undefined
          ? next(specifier, context)
          : { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
      }
      if (!isSource || !/^[@a-z][^:]*$/.test(specifier)) return next(specifier, context)
      const known = packages.get(specifier)
      if (known !== undefined) return known
      const found = { ...next(specifier, context), shortCircuit: true }
      packages.set(specifier, found)
      return found
    }
  })
}
