/**
 * The files of the API's image of deploy/Dockerfile, in a folder, where no engine builds images: what it copies, less
 * what .dockerignore leaves out, the packages that `npm ci --omit=dev --omit=optional` installs, and what the other
 * stages build of their own files. The oracle's own image is another test's (hosts/oracle/e2e/image); its program is
 * among these files.
 */
import { Effect, Schema } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, matchesGlob, relative } from "node:path"
import { built, stagesOf } from "../../../../scripts/deploy/Compose.ts"
import type { Stage } from "../../../../scripts/deploy/Compose.ts"

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

/** The folders of all packages. Nested ones are in their dependents' folders. */
const installed = Object.entries(
  Schema.decodeUnknownSync(Lock)(readFileSync(join(root, "package-lock.json"), "utf8")).packages
).filter(([path]) => path.lastIndexOf("node_modules/") === 0)

/** What `npm ci` installs. Builds for other machines are in the lock, not here. */
const allPackages = (): ReadonlyArray<string> =>
  installed.map(([path]) => path).filter((path) => existsSync(join(root, path)))

/** The ones that run in production. */
const productionPackages = (): ReadonlyArray<string> =>
  installed.filter(([, { dev, devOptional, optional }]) => !dev && !optional && !devOptional).map(([path]) => path)

/** For the environment of what is run there. */
export const preserveLinks = { NODE_OPTIONS: "--preserve-symlinks" }

const leftOut = readFileSync(join(root, ".dockerignore"), "utf8").split("\n")
  .filter((line) => /^[^#*!]|^\*\*/.test(line))

const filter = (source: string) => !leftOut.some((pattern) => matchesGlob(relative(root, source), pattern))

/** Puts files of the repository into a folder, and links packages. */
const fill = (folder: string, files: ReadonlyArray<string>, packages: ReadonlyArray<string>): void => {
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true, filter })
  }
  for (const path of packages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(root, path), join(folder, path))
  }
}

/** Runs a stage that builds with Node, in a folder of its own, and gives the folder to `use`. */
const runStage = ({ commands, copied }: Stage, use: (folder: string) => void): void => {
  const folder = mkdtempSync(join(tmpdir(), "causeway-stage-"))
  try {
    fill(folder, copied, allPackages())
    for (const line of commands.filter((command) => command.startsWith("node "))) {
      execFileSync(process.execPath, line.split(" ").slice(1), { cwd: folder })
    }
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Puts the files into a folder of its own, which goes with the scope. Packages are links: run Node with
 * `preserveLinks`, so that a package finds only those beside it.
 */
export const buildImage = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "causeway-image-"))
    const image = built.get("transfer")
    fill(folder, image?.copied ?? [], productionPackages())
    const stages = stagesOf("deploy/Dockerfile")
    for (const { from, stage, to } of image?.taken ?? []) {
      const other = stages.get(stage)
      // Packages are linked above.
      if (other === undefined || from === "node_modules") continue
      runStage(other, (place) => cpSync(join(place, from), join(folder, to), { recursive: true }))
    }
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
