/** A folder for one test, removed with its scope. */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-localnet-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
