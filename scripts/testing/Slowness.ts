/**
 * How slow the processor is, and how much of a long run fits on it: a shared one gives a process half as much in one
 * hour as in another, and CI's sample of the long run has to end in time on any.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"

/**
 * What a process that imports effect's Schema, and nothing else, costs where the bounds were set (docs/performance.md),
 * milliseconds of the processor.
 */
const REFERENCE_MS = 160

/** Measures how many times slower than there the processor is now; at least one. Takes about a second. */
export const measureSlowness = (): number => {
  const code =
    "await import('effect/Schema'); const { system, user } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))"
  const root = join(import.meta.dirname, "../..")
  const costs = [1, 2, 3].map(() =>
    Number(spawnSync(process.execPath, ["--input-type=module", "--eval", code], { cwd: root, encoding: "utf8" }).stdout)
  )
  return Math.max(1, Math.min(...costs) / REFERENCE_MS)
}

/**
 * The variable that tells a run's workers what was measured when it began; 1 runs everything, however long it takes.
 */
export const RUN_SLOWNESS = "CAUSEWAY_SLOWNESS"

/** Of this run; 1 unless it is a long one. */
export const runSlowness = (): number => {
  const told = Number(process.env[RUN_SLOWNESS] ?? 1)
  return Number.isFinite(told) && told > 1 ? told : 1
}

/** The variable that tells a run's workers whose turn it is: set it to what a run printed, to try the same again. */
export const RUN_TURN = "CAUSEWAY_TURN"

/** Of this run, from 0 up to and without 1; 0 unless it is a long one. */
export const runTurn = (): number => {
  const told = Number(process.env[RUN_TURN] ?? 0)
  return told > 0 && told < 1 ? told : 0
}

/** How many of so many a long run does here, at least one. */
export const partOf = (all: number, slowness = runSlowness()): number => Math.ceil(all / slowness)

/**
 * Those of a list that a long run does here, spread over all of it; which ones depends on `turn`, from 0 up to and
 * without 1, so that each has its turn in one run or another.
 */
export const chosenOf = <A>(all: ReadonlyArray<A>, turn = runTurn(), slowness = runSlowness()): ReadonlyArray<A> => {
  const count = partOf(all.length, slowness)
  return Array.from({ length: count }, (_, index) => all[Math.floor((index + turn) * all.length / count)]).filter((
    each
  ) => each !== undefined)
}
