/** Latencies of several kinds of transfers that alternated in one run. */
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"

/** Milliseconds of each transfer, by kind. The first kind is the baseline. */
export const printLatencies = (title: string, times: Readonly<Record<string, ReadonlyArray<number>>>): void => {
  const at = (values: ReadonlyArray<number>, share: number) =>
    percentile(values.toSorted((one, other) => one - other), share)
  const [first = []] = Object.values(times)
  const base = at(first, 0.5)
  process.stdout.write(`\n${title}\n     ratio  median ms  p90 ms\n`)
  for (const [name, each] of Object.entries(times)) {
    const median = at(each, 0.5)
    const figures = [(median / base).toFixed(2).padStart(10), median.toFixed(0).padStart(10)]
    process.stdout.write(`${figures.join(" ")} ${at(each, 0.9).toFixed(0).padStart(7)}  ${name}\n`)
  }
}
