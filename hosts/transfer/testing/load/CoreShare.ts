/**
 * Holds processes to a share of a core each: by quotas of control groups where this process may make such groups
 * (version 2 or 1), or else by stopping a process that has used its share up and continuing it later. Only for
 * processes that the bench itself has started.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { processorMs } from "./ProcessorTime.ts"

/** The period of a quota, microseconds; the kernel's own default. */
const PERIOD_US = 100_000

interface Quotas {
  readonly name: string
  readonly root: string
  /** Writes the share of a core into the files of a group. */
  readonly limit: (group: string, share: number) => void
}

const write = (group: string, file: string, text: string): void => writeFileSync(join(group, file), text)

const quotaOf = (share: number): string => `${Math.round(share * PERIOD_US)}`

const readable = (path: string): string => existsSync(path) ? readFileSync(path, "utf8") : ""

const quotas: ReadonlyArray<Quotas> = [
  {
    name: "quotas of cgroup v2",
    root: "/sys/fs/cgroup",
    limit: (group, share) => write(group, "cpu.max", `${quotaOf(share)} ${PERIOD_US}`)
  },
  {
    name: "quotas of cgroup v1",
    root: "/sys/fs/cgroup/cpu",
    limit: (group, share) => {
      write(group, "cpu.cfs_period_us", `${PERIOD_US}`)
      write(group, "cpu.cfs_quota_us", quotaOf(share))
    }
  }
]

const makeGroup = (root: string, name: string): string => {
  const group = join(root, `causeway-bench-${process.pid}-${name}`)
  mkdirSync(group)
  return group
}

/** Whether a group with a quota can be made, which is removed at once. */
const canLimit = ({ limit, root }: Quotas): boolean => {
  // In version 2 a group has the files of a controller only where its parent hands the controller on.
  const handsOn = readable(join(root, "cgroup.subtree_control")).includes("cpu") ||
    existsSync(join(root, "cpu.cfs_quota_us"))
  if (!handsOn) return false
  try {
    const group = makeGroup(root, "probe")
    try {
      limit(group, 1)
    } finally {
      rmdirSync(group)
    }
    return true
  } catch {
    return false
  }
}

const found = quotas.find(canLimit)

/** How often the shares of processes without quotas are looked at, milliseconds. */
const LOOK_MS = 5

/** A process that was idle may catch up with at most this much, milliseconds, as within a period of a quota. */
const BURST_MS = PERIOD_US / 1000

const bySignals = (pid: number, share: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let [budget, used, at, isStopped] = [0, processorMs(pid), performance.now(), false]
      const signal = (stop: boolean) => {
        if (stop === isStopped) return
        isStopped = stop
        try {
          process.kill(pid, stop ? "SIGSTOP" : "SIGCONT")
        } catch {
          clearInterval(timer)
        }
      }
      const timer = setInterval(() => {
        const [now, spent] = [performance.now(), processorMs(pid)]
        budget = Math.min(budget + (now - at) * share - (spent - used), BURST_MS * share)
        ;[at, used] = [now, spent]
        signal(budget <= 0)
      }, LOOK_MS)
      return () => {
        clearInterval(timer)
        signal(false)
      }
    }),
    (release) => Effect.sync(release)
  )

const byQuota = ({ limit, root }: Quotas, pid: number, share: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const group = makeGroup(root, `${pid}`)
      limit(group, share)
      write(group, "cgroup.procs", `${pid}`)
      return group
    }),
    (group) =>
      Effect.sync(() => {
        for (const each of readFileSync(join(group, "cgroup.procs"), "utf8").split("\n")) {
          if (each !== "") write(root, "cgroup.procs", each)
        }
        rmdirSync(group)
      })
  )

/** What holds the processes, in words. */
export const heldBy: string = found?.name ??
  "signals: no quotas of control groups can be set here, so a process is stopped once it has used its share"

/** Holds each process to this share of a core until the scope closes. */
export const holdToShare = (pids: ReadonlyArray<number>, share: number) =>
  Effect.forEach(
    pids,
    (pid) =>
      Effect.asVoid<unknown, never, Scope.Scope>(
        found === undefined ? bySignals(pid, share) : byQuota(found, pid, share)
      ),
    { discard: true }
  )
