/** The folders of adapters that are VM families: those with a family's value. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

const adapters = join(import.meta.dirname, "../../adapters")

export const familyFolders: ReadonlyArray<string> = readdirSync(adapters).filter((folder) =>
  existsSync(join(adapters, folder, "Family.ts"))
)
