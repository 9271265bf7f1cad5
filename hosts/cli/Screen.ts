/**
 * The output for the person at the terminal: plain lines, with colour only on a terminal (NO_COLOR is respected). Not a
 * log.
 */
import { Clock, Effect } from "effect"
import { WIDTH, widthOf, wrapped } from "./Help.ts"

export interface Screen {
  /** On a terminal it is broken between its words where it is too wide. */
  readonly line: (text?: string) => Effect.Effect<void>
  /** A line that people copy: it is never broken. */
  readonly command: (text: string) => Effect.Effect<void>
  /** A line that the next output replaces. Only on a terminal. */
  readonly progress: (text: string) => Effect.Effect<void>
  /** Runs `effect`, then prints what was done and how long it took. */
  readonly step: <A, E, R>(
    what: string,
    effect: Effect.Effect<A, E, R>,
    note?: (value: A) => string
  ) => Effect.Effect<A, E, R>
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

export interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

const ERASE_LINE = "\r\u001b[2K"

/** How much further than its beginning the rest of a broken line begins. */
const HANGING = 4

const duration = (milliseconds: number): string =>
  milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`

/** Fewer columns are not readable: a cell there is wider than the line instead. */
const NARROWEST_CELL = 24

/**
 * Columns of text, aligned, two spaces apart. The last one is broken between its words, so that lines have at most 80
 * columns, or `columns`.
 */
export const table = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  columns: number = WIDTH
): ReadonlyArray<string> => {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows.flatMap((row) => {
    const before = row.slice(0, -1).map((cell, column) => `${cell.padEnd(width(column))}  `).join("")
    const last = wrapped(row.at(-1) ?? "", Math.max(NARROWEST_CELL, columns - before.length)).split("\n")
    return last.map((line, index) => `${index === 0 ? before : " ".repeat(before.length)}${line}`.trimEnd())
  })
}

export const make = (output: Output, environment: Readonly<Record<string, string | undefined>>): Screen => {
  const coloured = output.isTTY === true && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb"
  const paint = (code: number) => (text: string) => coloured ? `\u001b[${code}m${text}\u001b[0m` : text
  const dim = paint(2)
  let replaced = ""
  const command = (text: string) =>
    Effect.sync(() => {
      output.write(`${replaced}${text}\n`)
      replaced = ""
    })
  const indentOf = (text: string): number => text.length - text.trimStart().length + HANGING
  const line = (text = "") =>
    Effect.suspend(() => command(output.isTTY === true ? wrapped(text, widthOf(output), indentOf(text)) : text))
  return {
    line,
    command,
    progress: (text) =>
      Effect.sync(() => {
        if (output.isTTY !== true) return
        output.write(`${replaced}${text}`)
        replaced = ERASE_LINE
      }),
    step: Effect.fnUntraced(function*(what, effect, note) {
      const start = yield* Clock.currentTimeMillis
      const value = yield* effect
      const took = duration((yield* Clock.currentTimeMillis) - start)
      yield* line(`  ${what.padEnd(26)} ${dim(took.padStart(7))}${note === undefined ? "" : `  ${note(value)}`}`)
      return value
    }),
    bold: paint(1),
    dim,
    good: paint(32),
    bad: paint(31)
  }
}
