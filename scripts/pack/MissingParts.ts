/**
 * What the package needs and does not find, one text a part. In the repository it is looked for before anything is
 * compiled, so that a test can ask in milliseconds; in the package before it is packed.
 */
import { Schema } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { entriesOf, executablesOf } from "./Exports.ts"
import type { Manifest } from "./Manifest.ts"

/** Copied into the package as they are. */
export const copied: ReadonlyArray<string> = ["configs", "docs/openapi.json", "LICENSE", "README.md", "CHANGELOG.md"]

const BuildConfig = Schema.fromJsonString(Schema.Struct({ include: Schema.Array(Schema.String) }))

/** Sources that no entry finds, entries that the compiler is not given, and files that are copied. */
export const missingParts = (
  root: string,
  { bin, exports }: Pick<Manifest, "bin" | "exports">
): ReadonlyArray<string> => {
  const { include } = Schema.decodeUnknownSync(BuildConfig)(readFileSync(join(root, "tsconfig.build.json"), "utf8"))
  const compiled = new Set(globSync([...include], { cwd: root }))
  return [
    ...Object.entries(exports).filter(([, target]) => globSync(join(target), { cwd: root }).length === 0).map((
      [subpath, target]
    ) => `${target}: package.json exports it as ${subpath}, and no such file exists`),
    ...entriesOf(root, exports).filter(({ source }) => existsSync(join(root, source)) && !compiled.has(source)).map((
      { source, subpath }
    ) => `${source}: package.json exports it as ${subpath}, and tsconfig.build.json does not include it`),
    ...executablesOf(bin).filter((source) => !compiled.has(source)).map((source) =>
      `${source}: package.json has it as an executable, and tsconfig.build.json does not include it`
    ),
    ...copied.filter((path) => !existsSync(join(root, path))).map((path) => `${path}: the package contains it`)
  ]
}

/** A path beside a module that it reads when it runs. */
const READ = /new URL\("(\.[^"]+)", import\.meta\.url\)/g

/** What a module finds in a checkout alone. */
const inCheckout = /\/node_modules\//

/** Files and folders that modules of the package at `folder` read, and that are not in it. */
export const missingFiles = (folder: string): ReadonlyArray<string> =>
  globSync("**/*.js", { cwd: folder }).toSorted().flatMap((module) =>
    [...readFileSync(join(folder, module), "utf8").matchAll(READ)].flatMap(([, path = ""]) => {
      if (inCheckout.test(path)) return []
      const wanted = relative(folder, join(folder, dirname(module), path))
      return !wanted.startsWith("..") && existsSync(join(folder, wanted)) ? [] : [`${wanted}: ${module} reads it`]
    })
  )
