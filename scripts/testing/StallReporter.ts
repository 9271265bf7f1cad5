/**
 * A suite that hangs reports nothing, because Vitest reports a suite only when it has ended. This reporter names the
 * running suites after a minute without reports. It ends the run as failed when only suites beyond their time are still
 * running; CI, which repeats suites, reads them in the same file as those that failed. This is needed because no test
 * timeout ends a worker that is stuck in a loop.
 */
import { appendFileSync } from "node:fs"
import type { Reporter, TestModule } from "vitest/node"
import { FAILED_SUITES } from "./TallyReporter.ts"

/** Milliseconds: how long a run may be silent before the running suites are named, and how long a suite may run. */
export type Patience = { readonly silence: number; readonly suite: number }

/** The longest suite takes two minutes beside three others. */
const USUAL: Patience = { silence: 60_000, suite: 15 * 60_000 }

type Running = { readonly since: number; readonly cases: Set<string> }

export const stallReporter = (
  patience: Patience = USUAL,
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`)
): Reporter => {
  const running = new Map<string, Running>()
  const failed: Array<string> = []
  let left = 0
  let heard = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined

  const news = () => {
    heard = Date.now()
  }
  const ageOf = ({ since }: Running) => Date.now() - since

  const look = () => {
    if (Date.now() - heard >= patience.silence) {
      for (const [suite, its] of running) {
        write(
          `... ${suite} has run for ${Math.round(ageOf(its) / 1000)} s${
            [...its.cases].map((name) => `, in "${name}"`).join("")
          }`
        )
      }
      news()
    }
    if (running.size === 0 || [...running.values()].some((its) => ageOf(its) < patience.suite)) return
    const stalled = [...running.keys()]
    write(`FAILED: nothing runs any more but what hangs: ${stalled.join(", ")}`)
    const file = process.env[FAILED_SUITES]
    if (file !== undefined && file !== "") {
      appendFileSync(
        file,
        [...failed, ...stalled, ...(left > stalled.length ? ["suites that did not begin"] : [])].map((suite) =>
          `${suite}\n`
        ).join("")
      )
    }
    process.exit(1)
  }

  const end = (module: TestModule) => {
    news()
    running.delete(module.relativeModuleId)
    left -= 1
    if (module.state() === "failed") failed.push(module.relativeModuleId)
  }

  return {
    onTestRunStart: (specifications) => {
      left = specifications.length
      news()
      timer = setInterval(look, Math.min(patience.silence, patience.suite) / 4)
      timer.unref()
    },
    onTestModuleStart: (module) => {
      news()
      running.set(module.relativeModuleId, { since: Date.now(), cases: new Set() })
    },
    onTestCaseReady: (test) => {
      news()
      running.get(test.module.relativeModuleId)?.cases.add(test.name)
    },
    onTestCaseResult: (test) => {
      news()
      running.get(test.module.relativeModuleId)?.cases.delete(test.name)
    },
    onTestModuleEnd: end,
    onTestRunEnd: () => {
      clearInterval(timer)
    }
  }
}
