/** What a process has taken of the machine's processors. Linux only. */
import { readFileSync } from "node:fs"

/**
 * Milliseconds of processor time of a process with all its threads, in user and system mode. The kernel counts in
 * hundredths of a second. Zero when the process has ended.
 */
export const processorMs = (pid: number): number => {
  const fields = statOf(pid).split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10
}

const statOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
  } catch {
    return ""
  }
}

/** The sum over several processes. */
export const processorMsOf = (pids: ReadonlyArray<number>): number =>
  pids.reduce((sum, pid) => sum + processorMs(pid), 0)
