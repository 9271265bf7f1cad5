/**
 * Compiles the entries: `tsc` makes modules and declarations, and rolldown joins the modules of each entry.
 *
 * They are joined because Node spends more time on finding and linking some 160 small modules than on running them:
 * when joined, importing the core takes half of the time that it adds to importing effect. Code that several entries
 * share is a module of its own, so that a class is the same class from every entry. Nothing is minified, so that stack
 * traces stay readable. Packages are not included.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync } from "node:fs"
import { join } from "node:path"
import { build } from "rolldown"

/** Two folders deep, like the entries of hosts, so that `../../configs/` is the same from both. */
const SHARED = "shared/modules/chunk-[hash].js"

const compile = (root: string, outDir: string): void => {
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), [
    "-p",
    "tsconfig.build.json",
    "--outDir",
    outDir
  ], { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(`tsc failed:\n${stdout}`)
}

const packageName = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

/** Helpers that rolldown adds where the target lacks a language feature. */
const HELPERS = /^@oxc-project\/runtime\//

/** A file of a package, found for reading rather than imported: what `createRequire(import.meta.url).resolve` is given. */
const RESOLVED = /(?<![.\w])resolve(?:\$\d+)?\("([^"]+)"\)/g

/** True for the specifier of a package or of a Node module. */
const isPackage = (specifier: string): boolean => /^[a-z@]/.test(specifier)

/** Writes the joined modules of these entries and declarations to `package`. Returns the packages that they import, or read files of. */
export const compileEntries = async (
  root: string,
  sources: ReadonlyArray<string>,
  folders: { readonly compiled: string; readonly package: string }
): Promise<ReadonlySet<string>> => {
  compile(root, folders.compiled)
  const { output } = await build({
    cwd: folders.compiled,
    input: Object.fromEntries(sources.map((source) => {
      const module = source.replace(/\.ts$/, "")
      return [module, `./${module}.js`]
    })),
    platform: "node",
    transform: { target: "node22" },
    external: (id) => isPackage(id) && !HELPERS.test(id),
    output: {
      dir: folders.package,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: SHARED,
      hashCharacters: "hex",
      comments: false
    }
  })
  for (const declaration of globSync("**/*.d.ts", { cwd: folders.compiled })) {
    cpSync(join(folders.compiled, declaration), join(folders.package, declaration))
  }
  const imported = output.flatMap((file) =>
    file.type === "chunk"
      ? [...file.imports, ...file.dynamicImports, ...[...file.code.matchAll(RESOLVED)].map(([, path = ""]) => path)]
      : []
  )
  const own = new Set(output.map(({ fileName }) => fileName))
  return new Set(imported.filter((path) => !own.has(path) && !path.startsWith("node:")).map(packageName))
}
