/**
 * The help of a command for a terminal: no line is wider than the terminal, or than 80 columns. Only a word that is
 * longer than that, such as a hash, is wider.
 */
import { Option } from "effect"
import type { HelpDoc } from "effect/cli"

/** Columns of the widest line. */
export const WIDTH = 80

const NARROWEST = 40

/** Columns of a terminal, at most 80. What is no terminal has 80. */
export const widthOf = ({ columns }: { readonly columns?: number | undefined }): number =>
  Math.min(WIDTH, Math.max(NARROWEST, columns ?? WIDTH))

// Colours take no columns.
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001b\[\d+m/gu

const columnsOf = (text: string): number => text.replaceAll(COLOUR, "").length

/** Breaks a line between its words. Lines after the first begin with `indent` spaces. */
const wrappedLine = (line: string, width: number, indent: number): ReadonlyArray<string> => {
  const space = " ".repeat(indent)
  const lines: Array<string> = []
  let current = ""
  for (const [, gap = "", word = ""] of line.matchAll(/(\s*)(\S+)/gu)) {
    if (current !== "" && columnsOf(current) + gap.length + columnsOf(word) > width) {
      lines.push(current)
      current = `${space}${word}`
    } else current = `${current}${gap}${word}`
  }
  return [...lines, current]
}

/** Breaks every line of a text that is wider than `width`. What follows a break begins with `indent` spaces. */
export const wrapped = (text: string, width: number = WIDTH, indent = 0): string =>
  text.split("\n").flatMap((line) => columnsOf(line) <= width ? [line] : wrappedLine(line, width, indent)).join("\n")

type Row = readonly [name: string, text: string]

const GAP = 2
/** A name that is longer has a line of its own. */
const LONGEST_NAME = 24

const rowsOf = (rows: ReadonlyArray<Row>, width: number): ReadonlyArray<string> => {
  const column = 2 + Math.min(LONGEST_NAME, Math.max(0, ...rows.map(([name]) => name.length))) + GAP
  return rows.flatMap(([name, text]) => {
    const head = `  ${name}`
    const isLong = head.length + GAP > column
    const lines = wrapped(text, width - column).split("\n").map((line, index) =>
      `${index === 0 && !isLong ? head.padEnd(column) : " ".repeat(column)}${line}`.trimEnd()
    )
    return isLong ? [head, ...lines.filter((line) => line !== "")] : lines
  })
}

const flagRow = ({ aliases, description, name, required, type }: HelpDoc.FlagDoc): Row => {
  const names = [`--${name}`, ...aliases].join(", ")
  // A list of choices is in the description, too.
  const value = type === "boolean" || type.length > LONGEST_NAME ? "" : ` ${type}`
  return [`${names}${value}`, `${Option.getOrElse(description, () => "")}${required ? " (required)" : ""}`]
}

const paragraph = (text: string, width: number): ReadonlyArray<string> =>
  text.split("\n").map((line) => wrapped(`  ${line}`, width, 2))

/** A document of a command as text. `bold` marks the headings. */
export const helpText = (
  doc: HelpDoc.HelpDoc,
  width: number = WIDTH,
  bold: (text: string) => string = (text) => text
): string => {
  const sections: ReadonlyArray<readonly [heading: string, lines: ReadonlyArray<string>]> = [
    ["DESCRIPTION", doc.description === "" ? [] : paragraph(doc.description, width)],
    ["USAGE", [wrapped(`  ${doc.usage}`, width, 4)]],
    [
      "ARGUMENTS",
      rowsOf(
        (doc.args ?? []).map(({ description, name, required }) => [
          name,
          `${Option.getOrElse(description, () => "")}${required ? "" : " (optional)"}`
        ]),
        width
      )
    ],
    ["FLAGS", rowsOf(doc.flags.map(flagRow), width)],
    ...(doc.subcommands ?? []).map(({ commands, group }) =>
      [
        group ?? "COMMANDS",
        rowsOf(
          commands.map(({ description, name, shortDescription }) => [name, shortDescription ?? description]),
          width
        )
      ] as const
    ),
    ["GLOBAL FLAGS", rowsOf((doc.globalFlags ?? []).map(flagRow), width)],
    [
      "EXAMPLES",
      (doc.examples ?? []).flatMap(({ command, description }) => [
        ...description === undefined ? [] : [wrapped(`  ${description}:`, width, 2)],
        // A shell reads lines that end with a backslash as one.
        wrapped(`    ${command}`, width - 2, 6).replaceAll("\n", " \\\n")
      ])
    ]
  ]
  return sections.filter(([, lines]) => lines.length > 0).map(([heading, lines]) =>
    [bold(heading), ...lines].join("\n")
  ).join("\n\n")
}
