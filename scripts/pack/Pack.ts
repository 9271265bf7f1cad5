/**
 * Makes the publishable tarball in a folder: compiled entries, generated manifest, configurations, licence, README and
 * change log. Guarantee: the same tree gives the same modules and manifest, byte for byte (the compiler varies the
 * order of unions in declarations). Every package that a module imports is a dependency or a peer, and every file that
 * a module reads beside itself is in the package. The tarball contains no test, testing folder, script or local network.
 * Publishes nothing.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { buildInto } from "../../hosts/transfer/dashboard/Build.ts"
import { compileEntries } from "./Compile.ts"
import { entriesOf, executablesOf } from "./Exports.ts"
import { Manifest, publishedManifest } from "./Manifest.ts"
import { copied, missingFiles, missingParts } from "./MissingParts.ts"

/** Paths that must not be published. Declarations of test support could be reached only from tests. */
const foreign = /\.test\.|(?:^|\/)(?:testing|scripts|localnet|contracts\/test)\//

const Declared = Schema.Struct({
  dependencies: Schema.Record(Schema.String, Schema.String),
  peerDependencies: Schema.Record(Schema.String, Schema.String)
})

const checkPackage = (folder: string, manifest: unknown, imported: ReadonlySet<string>): void => {
  const { dependencies, peerDependencies } = Schema.decodeUnknownSync(Declared)(manifest)
  const undeclared = [...imported].filter((name) => !(name in dependencies) && !(name in peerDependencies))
  if (undeclared.length > 0) throw new Error(`imported and not declared: ${undeclared.join(", ")}`)
  const unused = [...Object.keys(dependencies), ...Object.keys(peerDependencies)].filter((name) => !imported.has(name))
  if (unused.length > 0) throw new Error(`declared and not imported: ${unused.join(", ")}`)
  const missing = missingFiles(folder)
  if (missing.length > 0) throw new Error(`missing in the package:\n${missing.join("\n")}`)
  const wrong = globSync("**/*", { cwd: folder }).filter((path) => foreign.test(path))
  if (wrong.length > 0) throw new Error(`not to be published: ${wrong.join(", ")}`)
}

const NpmPack = Schema.fromJsonString(Schema.Array(Schema.Struct({ filename: Schema.String })))

/** Packs the repository at `root` into `output`, which is emptied first. Returns the tarball's path. */
export const pack = async (root: string, output: string): Promise<string> => {
  const folders = { compiled: join(output, "compiled"), package: join(output, "package") }
  rmSync(output, { recursive: true, force: true })
  mkdirSync(folders.package, { recursive: true })
  const manifest = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))(
    readFileSync(join(root, "package.json"), "utf8")
  )
  const missing = missingParts(root, manifest)
  if (missing.length > 0) throw new Error(`missing in the repository:\n${missing.join("\n")}`)
  const entries = entriesOf(root, manifest.exports)
  const published = publishedManifest(manifest, entries)
  const imported = await compileEntries(
    root,
    [...entries.map(({ source }) => source), ...executablesOf(manifest.bin)],
    folders
  )
  for (const name of copied) cpSync(join(root, name), join(folders.package, name), { recursive: true })
  await buildInto(join(folders.package, "dashboard"))
  writeFileSync(join(folders.package, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
  checkPackage(folders.package, published, imported)
  const npm = spawnSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", output], {
    cwd: folders.package,
    encoding: "utf8"
  })
  if (npm.status !== 0) throw new Error(`npm pack failed:\n${npm.stderr}`)
  const [made] = Schema.decodeUnknownSync(NpmPack)(npm.stdout)
  if (made === undefined) throw new Error("npm pack made nothing")
  return join(output, made.filename)
}
