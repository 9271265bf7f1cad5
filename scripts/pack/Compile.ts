/**
 * Compiles the entries: `tsc` makes modules and declarations, rolldown joins the modules of each entry.
 *
 * Why joined: Node spends more on finding and linking some 160 small modules than on running them; joined, importing
 * the core takes half of what it adds to effect. What several entries share is a module of its own, so that a class is
 * one class whichever entry it comes from. Nothing is minified: a stack trace stays readable. Packages stay outside.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync } from "node:fs"
import { join } from "node:path"
import { build } from "rolldown"
import type { Entry } from "./Exports.ts"

/** Two folders deep, as the entries of hosts are: `../../configs/` is the same from both. */
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

/** What rolldown writes into the modules where the target lacks a word of the language. */
const HELPERS = /^@oxc-project\/runtime\//

/** What a package is asked for by, or a module of Node. */
const isPackage = (specifier: string): boolean => /^[a-z@]/.test(specifier)

/** Fills `package` with joined modules and declarations; answers with the packages that they import. */
export const compileEntries = async (
  root: string,
  entries: ReadonlyArray<Entry>,
  folders: { readonly compiled: string; readonly package: string }
): Promise<ReadonlySet<string>> => {
  compile(root, folders.compiled)
  const { output } = await build({
    cwd: folders.compiled,
    input: Object.fromEntries(entries.map(({ source }) => {
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
  const imported = output.flatMap((file) => file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : [])
  const own = new Set(output.map(({ fileName }) => fileName))
  return new Set(imported.filter((path) => !own.has(path) && !path.startsWith("node:")).map(packageName))
}
