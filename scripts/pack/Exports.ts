/**
 * The entries of the package: read from the `exports` of package.json, where they point at the TypeScript sources, and
 * turned into those of the published manifest, where they point at compiled modules. One list, so that what the tests
 * import by the package's name is what is published.
 */
import { existsSync, globSync } from "node:fs"
import { join } from "node:path"

export interface Entry {
  /** `.`, `./ports`, `./adapters/ethereum`, … */
  readonly subpath: string
  /** The source, from the root: `src/index.ts`. */
  readonly source: string
}

const withoutDot = (path: string): string => path.replace(/^\.\//, "")

/** Every entry; a pattern is filled in with the folders that have an index. */
export const entriesOf = (root: string, exports: Readonly<Record<string, string>>): ReadonlyArray<Entry> =>
  Object.entries(exports).flatMap(([subpath, target]): ReadonlyArray<Entry> => {
    const source = withoutDot(target)
    if (!subpath.includes("*")) return existsSync(join(root, source)) ? [{ subpath, source }] : []
    const [before = "", after = ""] = source.split("*")
    return globSync(source, { cwd: root }).toSorted().map((found) => ({
      subpath: subpath.replace("*", found.slice(before.length, found.length - after.length)),
      source: found
    }))
  })

/** `exports` of the published manifest: types and modules, each entry by its own name, and nothing else. */
export const publishedExports = (entries: ReadonlyArray<Entry>): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(entries.map(({ source, subpath }) => {
    const compiled = `./${source.replace(/\.ts$/, "")}`
    return [subpath, { types: `${compiled}.d.ts`, default: `${compiled}.js` }]
  })),
  "./package.json": "./package.json"
})
