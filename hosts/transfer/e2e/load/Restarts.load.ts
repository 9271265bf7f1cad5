/**
 * Time from the start of a host after a SIGKILL until it is ready, by the clock and in processor time, with transfers
 * in flight in its store. The baseline is a Node process that only imports Effect's Schema.
 */
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const RESTARTS = 10

/** Milliseconds of one kernel tick: its interface has a hundred a second, whatever it counts internally. */
const TICK_MS = 10

/** The processor time of a running process, user and system. */
const workedBy = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // After the name, which may contain anything: state is the first field, utime the twelfth and stime the thirteenth.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const schemaAlone = Effect.sync(() => {
  const from = performance.now()
  spawnSync(process.execPath, ["--input-type=module", "--eval", "await import('effect/Schema')"], {
    cwd: join(import.meta.dirname, "../../../..")
  })
  return performance.now() - from
})

const median = (values: ReadonlyArray<number>): number => percentile(values.toSorted((one, other) => one - other), 0.5)

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const { chains, startHost } = yield* startNetwork
  const rows: Array<{ readonly waited: number; readonly worked: number; readonly alone: number }> = []
  for (let index = 0; index < RESTARTS; index += 1) {
    const alone = yield* schemaAlone
    const from = performance.now()
    const { kill, pid, url } = yield* startHost()
    rows.push({ alone, waited: performance.now() - from, worked: workedBy(pid) })
    const [key] = chains.users
    if (key === undefined) return
    const quoted = yield* quote(
      url,
      nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("0.01"))
    )
    yield* sendDeposit(chains.alpha, key, quoted)
    yield* kill("SIGKILL")
  }
  const alone = median(rows.map((row) => row.alone))
  const [waited, worked] = [median(rows.map((row) => row.waited)), median(rows.map((row) => row.worked))]
  process.stdout.write(
    `\nTransfer service: ${RESTARTS} starts after a SIGKILL, ready, at the median; effect's Schema alone: ${
      alone.toFixed(0)
    } ms\n     ratio           ms\n`
  )
  for (const [name, ms] of [["on the clock", waited], ["of the processor", worked]] as const) {
    process.stdout.write(`${(ms / alone).toFixed(2).padStart(10)} ${ms.toFixed(0).padStart(12)}  ${name}\n`)
  }
})))
