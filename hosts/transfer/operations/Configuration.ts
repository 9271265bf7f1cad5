/** Compares the environment's configuration with its chains now, for the doctor's table. */
import { Effect } from "effect"
import type { Compared } from "../../../src/domain/configuration/Compare.ts"
import { CheckedConfiguration } from "../../../src/services/operations/CheckedConfiguration.ts"
import * as CheckedChains from "../config/CheckedChains.ts"
import { readEnvironment } from "../config/Environment.ts"

export interface ComparedEntry {
  readonly chain: string
  readonly entry: string
  readonly subject: string
  readonly configured: string
  readonly found: string
  readonly verdict: Compared["verdict"] | "unread"
}

/** One row for each statement of the entries about their chains, and one for a chain that could not be read. */
export const compareConfiguration = Effect.gen(function*() {
  const environment = yield* readEnvironment
  const standings = yield* Effect.flatMap(CheckedConfiguration, ({ readAll }) => readAll).pipe(
    Effect.provide(CheckedChains.layer(environment))
  )
  return standings.flatMap(({ entry: { chain: { slug: chain } }, reading }): ReadonlyArray<ComparedEntry> =>
    reading._tag === "Unread"
      ? [{
        chain,
        entry: "all",
        subject: "",
        configured: "",
        found: "its endpoints do not answer, or do not agree",
        verdict: "unread"
      }]
      : reading.compared.map(({ configured, entry, found, subject, verdict }) => ({
        chain,
        entry,
        subject,
        configured,
        found,
        verdict
      }))
  )
})

/** A table for people. Differences stand out by the last column. */
export const tableOf = (rows: ReadonlyArray<ComparedEntry>): string => {
  const cells = [
    ["chain", "entry", "address", "configured", "found", ""],
    ...rows.map((
      { chain, configured, entry, found, subject, verdict }
    ) => [chain, entry, subject, configured, found, verdict === "same" ? "" : verdict.toUpperCase()])
  ]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join("\n")
}
