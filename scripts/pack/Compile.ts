/**
 * Compiles the entries: `tsc` makes modules and declarations, esbuild joins the modules of each entry.
 *
 * Why joined: Node spends more on finding and linking some 160 small modules than on running them; joined, importing
 * the core takes half of what it adds to effect. What several entries share is a module of its own, so that a class is
 * one class whichever entry it comes from. Nothing is minified: a stack trace stays readable. Packages stay outside.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import type { Entry } from "./Exports.ts"

/** Two folders deep, as the entries of hosts are: `../../configs/` is the same from both. */
const SHARED = "shared/modules/[name]-[hash]"

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

/** Fills `package` with joined modules and declarations; answers with the packages that they import. */
export const compileEntries = async (
  root: string,
  entries: ReadonlyArray<Entry>,
  folders: { readonly compiled: string; readonly package: string }
): Promise<ReadonlySet<string>> => {
  compile(root, folders.compiled)
  const { metafile } = await build({
    absWorkingDir: folders.compiled,
    entryPoints: entries.map(({ source }) => source.replace(/\.ts$/, ".js")),
    outbase: ".",
    outdir: folders.package,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    chunkNames: SHARED,
    legalComments: "none",
    logLevel: "warning",
    metafile: true
  })
  for (const declaration of globSync("**/*.d.ts", { cwd: folders.compiled })) {
    cpSync(join(folders.compiled, declaration), join(folders.package, declaration))
  }
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports).filter(({ external }) =>
    external === true
  )
  return new Set(imported.map(({ path }) => path).filter((path) => !path.startsWith("node:")).map(packageName))
}
