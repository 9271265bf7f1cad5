/**
 * docs/families.md: what is shown of each VM family, and by which test. Made from what a run has shown
 * (scripts/testing/FamiliesReporter.ts).
 */
import { posix } from "node:path"
import { families } from "../../hosts/families.ts"
import type { FamilyName } from "../../src/domain/chain/VmFamily.ts"
import { type Cell, columns } from "../testing/Shows.ts"

/** One test, or one suite that declares a cell as a whole. */
export interface Shown extends Cell {
  /** From the root of the tree. */
  readonly file: string
  readonly name: string
}

/** Families that are being built: what no test shows of them is "not yet". Of every other one it fails the run. */
const notYet: ReadonlyArray<FamilyName> = []

/** What a family cannot have, and why. Its tests, where it has any, show that nothing else is taken for it. */
const lackOf = ({ column, family }: Cell): string | undefined => {
  const { lacks = {} } = families.find(({ rules }) => rules.name === family) ?? {}
  return column === "calls" || column === "reorg" ? lacks[column] : undefined
}

const reasonOf = (cell: Cell): string | undefined =>
  lackOf(cell) ?? (notYet.includes(cell.family) ? "not yet" : undefined)

const names: ReadonlyArray<FamilyName> = families.map(({ rules }) => rules.name)

const cells: ReadonlyArray<Cell> = names.flatMap((family) => columns.map((column) => ({ family, column })))

const isOf = ({ column, family }: Cell) => (cell: Cell): boolean => cell.family === family && cell.column === column

/** Cells that no test shows and no reason excuses. */
export const unshown = (shown: ReadonlyArray<Cell>): ReadonlyArray<Cell> =>
  cells.filter((cell) => reasonOf(cell) === undefined && !shown.some(isOf(cell)))

/** By the name of the suite; what runs against local chains is the usual kind. */
const linked = (file: string): string => `[${posix.basename(file).replace(/(?:\.local)?\.test\.ts$/, "")}](../${file})`

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)].toSorted()

const tableCell = (shown: ReadonlyArray<Shown>) => (cell: Cell): string => {
  const links = distinct(shown.filter(isOf(cell)).map(({ file }) => linked(file))).join(", ")
  const reason = lackOf(cell)
  if (reason !== undefined) return links === "" ? `– ${reason}` : `– ${reason} (${links})`
  return links === "" ? reasonOf(cell) ?? "**nothing**" : links
}

/** A line for each test, with all that it shows, in the order of the columns. */
const section = (family: FamilyName, shown: ReadonlyArray<Shown>): ReadonlyArray<string> => {
  const lines = [
    ...Map.groupBy(shown.filter((each) => each.family === family), ({ file, name }) => `${name} (${linked(file)})`)
  ].map(([text, of]) => {
    const places = columns.flatMap((column, at) => of.some((each) => each.column === column) ? [at] : [])
    return { key: `${places.join()} ${text}`, line: `- ${places.map((at) => columns[at]).join(", ")}: ${text}` }
  })
  return lines.length === 0
    ? []
    : ["", `## ${family}`, "", ...lines.toSorted((a, b) => a.key < b.key ? -1 : 1).map(({ line }) => line)]
}

/** The page; the same whatever the order in which the tests ran. */
export const familiesPage = (shown: ReadonlyArray<Shown>): string =>
  [
    "# What is shown of each family",
    "",
    "Of the oracle, by tests against local chains and, in the negative suite, against each family's own bytes. Written from the tests",
    "that ran: `npm run families` runs the oracle's suites and writes this page, and `npm cit` fails where it says anything but what",
    "that run has shown. How a test declares what it shows: [contributing.md](contributing.md#tests).",
    "",
    `| | ${columns.join(" | ")} |`,
    `| --- |${" --- |".repeat(columns.length)}`,
    ...names.map((family) =>
      `| **${family}** | ${columns.map((column) => tableCell(shown)({ family, column })).join(" | ")} |`
    ),
    ...names.flatMap((family) => section(family, shown)),
    ""
  ].join("\n")

/** The test files that a page leads to. */
export const filesOf = (page: string): ReadonlyArray<string> =>
  distinct([...page.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g)].flatMap(([, file]) => file ?? []))
