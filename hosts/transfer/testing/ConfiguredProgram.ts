/** A copy of this program with its own configuration, as an operator has one. */
import { Effect } from "effect"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/**
 * The program's folder, removed with the scope. `change` gets the local chains file, or hubs file, and returns its
 * replacement.
 */
export const configuredProgram = (
  change: (chains: string) => string,
  name: "chains.local.json" | "chains.hub.local.json" = "chains.local.json"
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-configured-"))
      for (const part of ["src", "ports", "adapters", "hosts", "configs", "docs", "scripts", "package.json"]) {
        cpSync(join(root, part), join(folder, part), { recursive: true })
      }
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
      const file = join(folder, "configs", name)
      writeFileSync(file, change(readFileSync(file, "utf8")))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
