/** A copy of the environments' files with changes, as an operator has their own. */
import { Effect } from "effect"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const configs = join(import.meta.dirname, "../../../configs")

/**
 * The folder, removed with the scope. `change` gets the local chains file, or hubs file, and returns its replacement.
 */
export const configuredFolder = (
  change: (chains: string) => string,
  name: "chains.local.json" | "chains.hub.local.json" = "chains.local.json"
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-configured-"))
      cpSync(configs, folder, { recursive: true })
      const file = join(folder, name)
      writeFileSync(file, change(readFileSync(file, "utf8")))
      return pathToFileURL(`${folder}/`)
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
