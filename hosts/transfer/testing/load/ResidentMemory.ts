/** What a process has of the machine's memory now. Linux only. */
import { readFileSync } from "node:fs"

/** Megabytes. */
export const residentMb = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
