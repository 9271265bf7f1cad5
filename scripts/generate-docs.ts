/**
 * `npm run docs`: writes the generated pages of docs/, the alert rules and the generated files of deploy/. A change that would break stored work is
 * refused and not written.
 */
import { Schema } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rulesFile } from "./alerts/Rules.ts"
import { deployedFiles } from "./deploy/Files.ts"
import { pages } from "./docs/Pages.ts"
import { brokenPromises, storedWork, StoredWork, storedWorkText } from "./docs/StoredWork.ts"

const docs = join(import.meta.dirname, "../docs")

for (const [name, page] of pages) writeFileSync(join(docs, name), page())
for (const service of ["transfer", "oracle"] as const) {
  writeFileSync(join(docs, "..", "configs", "alerts", `${service}.yml`), rulesFile(service))
}
for (const [name, file] of deployedFiles) writeFileSync(join(docs, "..", name), file())

const file = join(docs, "stored-work.json")
const committed = existsSync(file) ? Schema.decodeUnknownSync(StoredWork)(JSON.parse(readFileSync(file, "utf8"))) : {}
const broken = brokenPromises(committed, storedWork())
if (broken.length === 0) writeFileSync(file, storedWorkText({ ...committed, ...storedWork() }))
else {
  process.stderr.write(`docs/stored-work.json is left as it is:\n${broken.map((each) => `  - ${each}\n`).join("")}`)
  process.exitCode = 1
}
