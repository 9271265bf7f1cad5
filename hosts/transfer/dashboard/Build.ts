/**
 * Builds the dashboard's files from `app/`: for a checkout, and for the package. Not for a host that serves: the tools
 * are development dependencies.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { style } from "./app/Style.ts"

const root = join(import.meta.dirname, "../../..")

/** Changes with every source, and with the versions of all packages. */
const fingerprint = (): string => {
  const hash = createHash("sha256")
  const sources = globSync("hosts/transfer/dashboard/{Build.ts,app/**/*.{ts,tsx}}", { cwd: root }).toSorted()
  for (const path of [...sources, "package-lock.json"]) hash.update(readFileSync(join(root, path))).update(path)
  return hash.digest("hex")
}

/** A host that reads the file meanwhile gets the former one or this one, whole. */
const writeWhole = (path: string, text: string): void => {
  const written = `${path}.${process.pid}`
  writeFileSync(written, text)
  renameSync(written, path)
}

/** Builds `app.js` and `app.css` into a folder. */
export const buildInto = async (folder: string): Promise<void> => {
  // Loaded late: it takes longer than finding out that nothing is stale.
  const { build } = await import("rolldown")
  const { output } = await build({
    cwd: root,
    input: "hosts/transfer/dashboard/app/main.tsx",
    platform: "browser",
    transform: { jsx: { runtime: "automatic", importSource: "preact" } },
    output: { format: "esm", minify: true, codeSplitting: false },
    write: false,
    logLevel: "silent"
  })
  const code = output.flatMap((file) => file.type === "chunk" ? [file.code] : [])
  mkdirSync(folder, { recursive: true })
  writeWhole(join(folder, "app.js"), code.join("\n"))
  writeWhole(join(folder, "app.css"), style)
}

/** Builds into the checkout's cache, unless what is there is of these sources. */
export const buildWhenStale = async (): Promise<void> => {
  const folder = join(root, "node_modules/.cache/dashboard")
  const mark = join(folder, "fingerprint")
  const now = fingerprint()
  if (existsSync(mark) && readFileSync(mark, "utf8") === now) return
  await buildInto(folder)
  writeWhole(mark, now)
}
