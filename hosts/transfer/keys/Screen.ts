/** Where words go: results to stdout, so that a shell can take them, and everything else to stderr. */
import { Effect } from "effect"

export const result = (text: string) => Effect.sync(() => void process.stdout.write(`${text}\n`))

export const say = (text: string) => Effect.sync(() => void process.stderr.write(`${text}\n`))

/** Rows in columns as wide as their widest cell. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n")
}
