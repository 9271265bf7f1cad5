/** Alternates rounds of several loads in one run, so that disturbances of the machine affect all of them. */
import { closedLoop } from "./ClosedLoop.ts"
import type { Load, Measured } from "./ClosedLoop.ts"

export interface Row {
  readonly name: string
  /** Medians over the rounds. */
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

const rowOf = (name: string, rounds: ReadonlyArray<Measured>): Row => ({
  name,
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
  failures: rounds.reduce((sum, { failures }) => sum + failures, 0)
})

export interface Turns {
  /** Turns that are not counted. Default 1. */
  readonly warmUp?: number
  /** Turns that are counted. Default 3. */
  readonly rounds?: number
}

/** Runs each load in turn, `rounds` times after the warm-up. The first one is the baseline. */
export const alternate = async (
  loads: Readonly<Record<string, Load>>,
  { rounds = 3, warmUp = 1 }: Turns = {}
): Promise<ReadonlyArray<Row>> => {
  const measured = new Map<string, Array<Measured>>(Object.keys(loads).map((name) => [name, []]))
  for (let round = 0; round < warmUp + rounds; round += 1) {
    for (const [name, load] of Object.entries(loads)) {
      const one = await closedLoop(load)
      if (round >= warmUp) measured.get(name)?.push(one)
    }
  }
  return [...measured].map(([name, each]) => rowOf(name, each))
}

/**
 * One line for each row, with the ratio to the first row at its start. Fails when requests failed, because such a bench
 * measures nothing.
 */
export const printRows = (title: string, rows: ReadonlyArray<Row>): void => {
  const [base] = rows
  process.stdout.write(`\n${title}\n     ratio    per second   p50 ms   p99 ms\n`)
  if (rows.some(({ failures }) => failures > 0)) process.exitCode = 1
  for (const { failures, name, p50, p99, perSecond } of rows) {
    const ratio = (perSecond / (base?.perSecond ?? 1)).toFixed(4).padStart(10)
    const figures = `${perSecond.toFixed(0).padStart(14)} ${p50.toFixed(2).padStart(8)} ${p99.toFixed(2).padStart(8)}`
    process.stdout.write(`${ratio}${figures}  ${name}${failures === 0 ? "" : `  (${failures} FAILED)`}\n`)
  }
}
