/**
 * The package's entries. They are read from the `exports` of package.json, where they point to TypeScript sources, and
 * converted for the published manifest, where they point to compiled modules. There is one list, so what the tests
 * import by the package's name is what is published.
 */
import { globSync } from "node:fs"

export interface Entry {
  /** `.`, `./ports`, `./adapters/ethereum`, … */
  readonly subpath: string
  /** Path of the source from the root: `src/index.ts`. */
  readonly source: string
}

/** The module that is made of a source. */
export const compiledOf = (source: string): string => source.replace(/\.ts$/, ".js")

const withoutDot = (path: string): string => path.replace(/^\.\//, "")

/** Every entry. A pattern is expanded to the sources that match it; `missingParts` names what matches none. */
export const entriesOf = (root: string, exports: Readonly<Record<string, string>>): ReadonlyArray<Entry> =>
  Object.entries(exports).flatMap(([subpath, target]): ReadonlyArray<Entry> => {
    const source = withoutDot(target)
    if (!subpath.includes("*")) return [{ subpath, source }]
    const [before = "", after = ""] = source.split("*")
    return globSync(source, { cwd: root }).toSorted().map((found) => ({
      subpath: subpath.replace("*", found.slice(before.length, found.length - after.length)),
      source: found
    }))
  })

/** The sources of the package's executables, from its `bin`. */
export const executablesOf = (bin: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.values(bin).map(withoutDot)

/** The `exports` of the published manifest: types and modules, each entry by its own name, and nothing else. */
export const publishedExports = (entries: ReadonlyArray<Entry>): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(entries.map(({ source, subpath }) => {
    const compiled = `./${source.replace(/\.ts$/, "")}`
    return [subpath, { types: `${compiled}.d.ts`, default: `${compiled}.js` }]
  })),
  "./package.json": "./package.json"
})
