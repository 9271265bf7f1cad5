/** `npm run docs`: writes the generated pages of docs/. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pages } from "./docs/Pages.ts"

for (const [name, page] of pages) writeFileSync(join(import.meta.dirname, "..", "docs", name), page())
