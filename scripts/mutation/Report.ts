/**
 * Turns Stryker's JSON into the committed summary: a line for each file, and every mutant that no test kills.
 *
 * Guarantee: the same mutants and results give the same text, which has no date and no duration. A mutant that runs
 * into the time limit counts as killed, because it hangs where the code does not.
 */
import { Schema } from "effect"

const Place = Schema.Struct({ line: Schema.Int, column: Schema.Int })

const Mutant = Schema.Struct({
  mutatorName: Schema.String,
  replacement: Schema.optionalKey(Schema.String),
  status: Schema.Literals([
    "Killed",
    "Timeout",
    "Survived",
    "NoCoverage",
    "RuntimeError",
    "CompileError",
    "Ignored",
    "Pending"
  ]),
  location: Schema.Struct({ start: Place, end: Place })
})
type Mutant = typeof Mutant.Type

const MutatedFile = Schema.Struct({ source: Schema.String, mutants: Schema.Array(Mutant) })
type MutatedFile = typeof MutatedFile.Type

export const MutationReport = Schema.fromJsonString(Schema.Struct({ files: Schema.Record(Schema.String, MutatedFile) }))

type Files = Readonly<Record<string, MutatedFile>>

interface Tally {
  readonly killed: number
  readonly timeout: number
  readonly survived: number
  readonly noCoverage: number
  readonly invalid: number
}

const tallyOf = (mutants: ReadonlyArray<Mutant>): Tally => {
  const count = (...statuses: ReadonlyArray<Mutant["status"]>) =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  return {
    killed: count("Killed"),
    timeout: count("Timeout"),
    survived: count("Survived"),
    noCoverage: count("NoCoverage"),
    invalid: count("RuntimeError", "CompileError", "Ignored", "Pending")
  }
}

/** The percentage of the valid mutants that a test kills. */
export const scoreOf = (mutants: ReadonlyArray<Mutant>): number => {
  const { killed, noCoverage, survived, timeout } = tallyOf(mutants)
  const valid = killed + timeout + survived + noCoverage
  return valid === 0 ? 100 : (killed + timeout) * 100 / valid
}

const row = (name: string, mutants: ReadonlyArray<Mutant>): string => {
  const { invalid, killed, noCoverage, survived, timeout } = tallyOf(mutants)
  return `| ${name} | ${
    scoreOf(mutants).toFixed(1)
  } | ${killed} | ${timeout} | ${survived} | ${noCoverage} | ${invalid} |`
}

/** Code for a table's cell: on one line, with bars escaped so that they do not end the cell. */
const cell = (code: string): string => {
  const line = code.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("`", "'")
  return `\`${line.length > 60 ? `${line.slice(0, 59)}…` : line}\``
}

const originalOf = (source: string, { location: { end, start } }: Mutant): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const last = lines.length - 1
  return lines.map((line, index) =>
    line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined)
  ).join("\n")
}

const survivors = (files: Files): ReadonlyArray<string> =>
  Object.entries(files).flatMap(([path, { mutants, source }]) =>
    mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage")
      .toSorted((a, b) =>
        a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column
      )
      .map((mutant) =>
        `| ${path.replace("src/domain/", "")}:${mutant.location.start.line} | ${cell(originalOf(source, mutant))} | ${
          cell(mutant.replacement ?? "")
        } |`
      )
  )

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))

/** The tables: folders with their files, and the mutants that survived. */
export const tablesOf = (unsorted: Files): string => {
  const files = Object.fromEntries(Object.entries(unsorted).toSorted(([a], [b]) => a < b ? -1 : 1))
  const folders = [...new Set(Object.keys(files).map(folderOf))]
  const mutantsIn = (folder: string) =>
    Object.entries(files).filter(([path]) => folderOf(path) === folder).flatMap(([, { mutants }]) => mutants)
  return [
    "| file | % | killed | timed out | survived | not covered | invalid |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    row("**all**", Object.values(files).flatMap(({ mutants }) => mutants)),
    ...folders.flatMap((folder) => [
      row(`**${folder.replace("src/domain/", "")}**`, mutantsIn(folder)),
      ...Object.entries(files).filter(([path]) => folderOf(path) === folder).map(([path, { mutants }]) =>
        row(path.slice(folder.length + 1), mutants)
      )
    ]),
    "",
    "## What survives",
    "",
    "| where | code | mutant |",
    "| --- | --- | --- |",
    ...survivors(files),
    ""
  ].join("\n")
}
