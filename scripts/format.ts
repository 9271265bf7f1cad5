/**
 * `npm run format` formats every TypeScript file with dprint's plugin, by the settings of dprint.json. `--check` writes
 * nothing, lists what it would change, and ends with 1. The plugin is loaded directly: dprint's own program is only a
 * way to load it, and is larger.
 */
import { createFromBuffer } from "@dprint/formatter"
import { Schema } from "effect"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const Settings = Schema.fromJsonString(Schema.Struct({
  lineWidth: Schema.Int,
  newLineKind: Schema.Literal("lf"),
  typescript: Schema.Record(Schema.String, Schema.Unknown),
  includes: Schema.Array(Schema.String),
  excludes: Schema.Array(Schema.String),
  plugins: Schema.Tuple([Schema.String])
}))

const { typescript, includes, excludes, plugins: [plugin], ...everywhere } = Schema.decodeUnknownSync(Settings)(
  read("dprint.json")
)
const formatter = createFromBuffer(readFileSync(join(root, plugin)))
formatter.setConfig(everywhere, typescript)
const wrong = formatter.getConfigDiagnostics()
if (wrong.length > 0) throw new Error(`dprint.json: ${JSON.stringify(wrong)}`)

const checks = process.argv.includes("--check")
let different = 0
for (const path of includes.flatMap((include) => globSync(include, { cwd: root, exclude: [...excludes] }))) {
  const text = read(path)
  const formatted = formatter.formatText({ filePath: path, fileText: text })
  if (formatted === text) continue
  different += 1
  process.stdout.write(`${path}\n`)
  if (!checks) writeFileSync(join(root, path), formatted)
}
if (checks && different > 0) {
  process.stderr.write(`${different} files are not formatted: npm run format\n`)
  process.exitCode = 1
}
