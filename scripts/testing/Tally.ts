/**
 * Counters that tests report and the run prints at its end: how many inputs, kills, … really ran.
 * Guarantee: counts of all worker processes add up; each report is one short appended line, so
 * that concurrent workers do not tear each other's. Outside of a run with our reporter nothing is
 * written. Not for assertions: a tally never fails a test.
 */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { partOf } from "./Sample.ts"

/** The folder of the current run's counters; set by the reporter, inherited by its workers. */
export const TALLY_FOLDER = "CAUSEWAY_TALLY_FOLDER"

/** True in `npm run test:nightly` and in CI's sample of it. */
export const isLong: boolean = process.env["CAUSEWAY_LONG"] === "1"

/** CAUSEWAY_INPUTS: no property runs more inputs than this; for mutation testing, where each runs once a mutant. */
const most: number = Number(process.env["CAUSEWAY_INPUTS"] ?? Infinity)

/** Appends one line to a file of the run's folder. Without a folder nothing happens. */
export const report = (file: string, line: string): boolean => {
  const folder = process.env[TALLY_FOLDER]
  if (folder === undefined || folder === "") return false
  appendFileSync(join(folder, file), `${line}\n`)
  return true
}

/** Adds `count` (a whole number, in pieces) to the counter called `name`: `tally("kills", 1)`. */
export const tally = (name: string, count: number): void => {
  report("tally", `${Math.trunc(count)} ${name}`)
}

/**
 * What codecs are fed in a long run, each: garbage is cheap, and a million of it is the point; what is sound costs its
 * encoding.
 */
const CODEC_INPUTS = 1_000_000

/** How much more than usual a long run tries where it is not about a million. */
const LONG_FACTOR = 5

/**
 * How many inputs a property runs: `usual`, or in a long run (CAUSEWAY_LONG=1) `long`, at most five times the usual
 * unless it is a codec's million; in proportion fewer in CI's sample, but never fewer than usual. The number is
 * added to the counter `inputs`, so call it where the property runs: `fc.assert(property, { numRuns: inputs(20_000,
 * 1_000_000) })`.
 */
export const inputs = (usual: number, long: number = usual * LONG_FACTOR): number => {
  const more = long >= CODEC_INPUTS ? long : Math.min(long, usual * LONG_FACTOR)
  const count = Math.min(isLong ? Math.max(usual, partOf(more)) : usual, most)
  tally("inputs", count)
  return count
}
