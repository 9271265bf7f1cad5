/**
 * Counters that tests report and the run prints at its end: how many inputs, kills, … were really run. Guarantee: the
 * counts of all worker processes are added up. Each report is one short appended line, so that concurrent workers do
 * not corrupt each other's. Without our reporter nothing is written. Not for assertions: a tally never fails a test.
 */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { partOf } from "./Sample.ts"

/** The folder of the current run's counters; set by the reporter, inherited by its workers. */
export const TALLY_FOLDER = "CAUSEWAY_TALLY_FOLDER"

/** True in `npm run test:nightly` and in CI's sample of it. */
export const isLong: boolean = process.env["CAUSEWAY_LONG"] === "1"

/**
 * CAUSEWAY_INPUTS: no property runs more inputs than this. For mutation testing, where each property runs once for each
 * mutant.
 */
const most: number = Number(process.env["CAUSEWAY_INPUTS"] ?? Infinity)

/** Appends one line to a file in the run's folder. Does nothing without a folder. */
export const report = (file: string, line: string): boolean => {
  const folder = process.env[TALLY_FOLDER]
  if (folder === undefined || folder === "") return false
  appendFileSync(join(folder, file), `${line}\n`)
  return true
}

/** Adds `count`, an integer, to the counter called `name`: `tally("kills", 1)`. */
export const tally = (name: string, count: number): void => {
  report("tally", `${Math.trunc(count)} ${name}`)
}

/**
 * How many inputs each codec gets in a long run. Random bytes are cheap, and the aim is a million of them; a valid
 * input costs its encoding.
 */
const CODEC_INPUTS = 1_000_000

/** How many times the usual number a long run tries, except for codecs. */
const LONG_FACTOR = 5

/** `npm test` tries one in this many of the usual inputs: most of its time would go into laws that nothing has touched. */
const SHORT_PART = 4

/** A law that tries so few inputs tries them all in every run. */
const FEW = 36

/**
 * How many inputs a property runs. In `npm test` a quarter of `usual`, if it is more than a few. In a long run
 * (CAUSEWAY_LONG=1) `long`, at most five times the usual number except for a codec's million; in CI's sample of it a
 * proportional part, but never fewer than usual. A property whose long run has no more inputs always runs `usual`. The
 * number is added to the counter `inputs`, so call it where the property runs: `fc.assert(property, { numRuns:
 * inputs(20_000, 1_000_000) })`.
 */
export const inputs = (usual: number, long: number = usual * LONG_FACTOR): number => {
  const more = long >= CODEC_INPUTS ? long : Math.min(long, usual * LONG_FACTOR)
  const short = more > usual ? Math.max(Math.min(usual, FEW), Math.ceil(usual / SHORT_PART)) : usual
  const count = Math.min(isLong ? Math.max(usual, partOf(more)) : short, most)
  tally("inputs", count)
  return count
}
