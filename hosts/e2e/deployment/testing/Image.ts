/**
 * The files of the image of deploy/Dockerfile, in a folder, where no engine builds images: what it copies, less what
 * .dockerignore leaves out, and the packages that `npm ci --omit=dev --omit=optional` installs. The oracle's own image is
 * another test's (hosts/oracle/e2e/image); its program is among these files.
 */
import { Effect, Schema } from "effect"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, matchesGlob, relative } from "node:path"
import { built } from "../../../../scripts/deploy/Compose.ts"

const root = join(import.meta.dirname, "../../../..")

const Lock = Schema.fromJsonString(Schema.Struct({
  packages: Schema.Record(
    Schema.String,
    Schema.Struct({
      dev: Schema.optionalKey(Schema.Boolean),
      optional: Schema.optionalKey(Schema.Boolean),
      devOptional: Schema.optionalKey(Schema.Boolean)
    })
  )
}))

/** The folders of packages that run in production. */
const packages = (): ReadonlyArray<string> =>
  Object.entries(Schema.decodeUnknownSync(Lock)(readFileSync(join(root, "package-lock.json"), "utf8")).packages)
    .filter(([path, { dev, devOptional, optional }]) => path !== "" && !dev && !optional && !devOptional)
    // Nested ones are in their dependents' folders.
    .filter(([path]) => path.lastIndexOf("node_modules/") === 0)
    .map(([path]) => path)

/** For the environment of what is run there. */
export const preserveLinks = { NODE_OPTIONS: "--preserve-symlinks" }

const leftOut = readFileSync(join(root, ".dockerignore"), "utf8").split("\n")
  .filter((line) => /^[^#*!]|^\*\*/.test(line))

/**
 * Puts the files into a folder of its own, which goes with the scope. Packages are links: run Node with
 * `preserveLinks`, so that a package finds only those beside it.
 */
export const buildImage = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-image-"))
    const filter = (source: string) => !leftOut.some((pattern) => matchesGlob(relative(root, source), pattern))
    for (const path of built.get("transfer")?.copied ?? []) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(join(root, path), join(folder, path), { recursive: true, filter })
    }
    for (const path of packages()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      symlinkSync(join(root, path), join(folder, path))
    }
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
