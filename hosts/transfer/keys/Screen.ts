/** Output: results go to stdout, so that a shell can use them, and everything else goes to stderr. */
import { Effect } from "effect"
import { answer, Json } from "../../cli/Program.ts"

export const say = (text: string) => Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Reports a completed action without a result: text for people, a result for machines. */
export const done = (value: unknown, text: string) =>
  Effect.flatMap(Json, (json) => json ? answer(value, text) : say(text))

/** Rows in columns as wide as their widest cell. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n")
}
