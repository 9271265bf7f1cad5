/**
 * How long processes take until they are at work again after a kill: under three seconds (docs/performance.md).
 *
 * Beside other suites the clock says what they do too, so those three seconds bound what a start costs the processor, in
 * proportion to how slow it is now: a shared one gives a process half as much in one hour as in another. On the clock, in proportion too, it is
 * bounded that nothing waits for a lock, a lease or a poll.
 */
import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { measureSlowness } from "../../../../scripts/testing/Slowness.ts"

export interface Restart {
  /** Milliseconds on the clock. */
  readonly waited: number
  /** Milliseconds of the processor; undefined where the system does not tell. */
  readonly worked: number | undefined
}

/** Milliseconds in one of the kernel's ticks: its interface has a hundred of them a second, whatever it counts in itself. */
const TICK_MS = 10

/** The processor's time of a process that runs, user and system. */
const workedBy = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // After the name, which may hold anything: state is the first field, utime the twelfth and stime the thirteenth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return undefined
  }
}

/** Of a process that was spawned at `from` and is up now. */
export const restartOf = (pid: number, from: number): Restart => ({ waited: performance.now() - from, worked: workedBy(pid) })

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity

export const assertQuick = (restarts: ReadonlyArray<Restart>) => {
  const waited = median(restarts.map((each) => each.waited))
  const worked = median(restarts.flatMap((each) => each.worked ?? []))
  const slow = measureSlowness()
  process.stdout.write(`${restarts.length} restarts after a kill: at the median ${waited.toFixed(0)} ms, ${worked.toFixed(0)} ms of them at work, on a processor ${slow.toFixed(1)} times as slow as the one of docs/performance.md\n`)
  if (Number.isFinite(worked)) assert.isBelow(worked / slow, 3_000, "a restart takes longer than three seconds")
  assert.isBelow(waited / slow, 10_000, "a restart waits for something")
}
