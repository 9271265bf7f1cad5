/**
 * A soak run of one oracle over three endpoints of which two must agree: mixed claims at half of its capacity, while
 * the endpoints fail in one way after another and recover. It looks for untrue answers, and for memory, connections and
 * latencies that do not return to their earlier values.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { ChildProcess } from "node:child_process"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import chains from "../../../../configs/chains.local.json" with { type: "json" }
import { closedLoop, percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { freePort } from "../../../http/testing/load/FreePort.ts"
import { MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { claimOf } from "./Claims.ts"
import { openLoop } from "./OpenLoop.ts"

/** What the three endpoints do in each phase. At most one lies, and the other two must then be honest. */
const phases: ReadonlyArray<readonly [name: string, modes: readonly [string, string, string]]> = [
  ["all answer", ["truth", "truth", "truth"]],
  ["one is dead", ["dead", "truth", "truth"]],
  ["one drops connections", ["truth", "dropped", "truth"]],
  ["one lies", ["truth", "truth", "liar"]],
  ["one is silent", ["silent", "truth", "truth"]],
  ["one lies, one is dead", ["liar", "dead", "truth"]],
  ["two are dead", ["truth", "dead", "dead"]],
  ["all are dead", ["dead", "dead", "dead"]],
  ["all answer again", ["truth", "truth", "truth"]]
]

export interface PhaseFigures {
  readonly name: string
  readonly answered: number
  readonly unavailable: number
  readonly p50: number
  readonly p99: number
  readonly slowest: number
  /** The oracle's memory at the end of the phase, MB. */
  readonly memory: number
}

export interface SoakFigures {
  /** Requests a second: the capacity, and the load. */
  readonly most: number
  readonly rate: number
  readonly phases: ReadonlyArray<PhaseFigures>
  /** The first few untrue answers. */
  readonly untrue: ReadonlyArray<string>
  /** Connections that broke. */
  readonly broken: number
  /** Open files and sockets: before the load, and after a while without requests. */
  readonly handles: { readonly before: number; readonly after: number }
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024
const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** After this time, kept-alive connections are closed at both ends. */
const QUIET_MS = 30_000

const settled = async (pid: number, before: number): Promise<number> => {
  const until = performance.now() + QUIET_MS
  while (handlesOf(pid) > before && performance.now() < until) await setTimeout(200)
  return handlesOf(pid)
}

export const soak = async (seconds: number, say: (line: string) => void): Promise<SoakFigures> => {
  const [alpha] = chains
  if (alpha === undefined) throw new Error("configs/chains.local.json is empty")
  const children: Array<ChildProcess> = []
  const started = async (...args: Parameters<typeof startPinned>): Promise<ChildProcess> => {
    const child = await startPinned(...args)
    children.push(child)
    return child
  }
  moveAside()
  try {
    const nodes = [await freePort(), await freePort(), await freePort()]
    for (const node of nodes) {
      await started(
        join(import.meta.dirname, "FaultyNode.ts"),
        [`${node}`, `${alpha.chainId}`, alpha.depository],
        "listening"
      )
    }
    const key = generatePrivateKey()
    const signer = privateKeyToAccount(key).address.toLowerCase()
    const port = await freePort()
    const { pid = 0 } = await started(join(import.meta.dirname, "../../main.ts"), [], "listening on", {
      core: MEASURED_CORE,
      environment: {
        ENVIRONMENT: "local",
        CHAINS: "alpha",
        ALPHA_RPC_URL: nodes.map((node) => `http://127.0.0.1:${node}`).join(","),
        HUB_RPC_URL: "http://127.0.0.1:9",
        HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
        ECDSA_PRIVATE_KEY: key,
        HTTP_PORT: `${port}`
      }
    })
    const set = (modes: ReadonlyArray<string>) =>
      Promise.all(
        modes.map((mode, index) =>
          fetch(`http://127.0.0.1:${nodes[index]}/mode/${mode}`, { method: "POST" }).then((response) => response.text())
        )
      )
    let number = 0
    const next = () => claimOf(number++, signer)

    const warm = {
      host: "127.0.0.1",
      port,
      method: "POST",
      path: () => "/attestations/depository-deposits/v1",
      body: () =>
        JSON.stringify({ chainId: "alpha", transactionId: `0x0f${(number++).toString(16).padStart(62, "0")}` }),
      connections: 16
    } as const
    await closedLoop({ ...warm, ms: 2_000 })
    const { perSecond: most } = await closedLoop({ ...warm, ms: 3_000 })
    const rate = Math.max(1, Math.floor(most / 2))
    // An oracle that was never asked has opened nothing yet; the test is that it returns to its state after the first
    // use.
    await setTimeout(7_000)
    const before = handlesOf(pid)
    say(
      `it can do ${most.toFixed(0)} a second, and is asked ${rate}; ${before} handles, ${memoryOf(pid).toFixed(0)} MB`
    )

    const untrue: Array<string> = []
    let broken = 0
    const figures: Array<PhaseFigures> = []
    for (const [name, modes] of phases) {
      await set(modes)
      const latencies: Array<number> = []
      let unavailable = 0
      await openLoop(port, rate, seconds * 1_000 / phases.length, next, (claim, { ms, status, text }) => {
        latencies.push(ms)
        if (status === 0) broken += 1
        else if (status === 503) unavailable += 1
        else if (!claim.isTrue(status, text)) untrue.push(`${name}: ${claim.body} → ${status} ${text}`.slice(0, 600))
      })
      const sorted = latencies.toSorted((left, right) => left - right)
      const phase = {
        name,
        answered: sorted.length,
        unavailable,
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
        slowest: sorted.at(-1) ?? 0,
        memory: memoryOf(pid)
      }
      figures.push(phase)
      say(
        `${name.padEnd(24)} ${`${phase.answered}`.padStart(8)} answers, ${
          `${unavailable}`.padStart(7)
        } of them 503; p50 ${phase.p50.toFixed(1)}, p99 ${phase.p99.toFixed(1)}, slowest ${
          phase.slowest.toFixed(0)
        } ms; ${phase.memory.toFixed(0)} MB`
      )
    }
    const after = await settled(pid, before)
    say(`${untrue.length} untrue answers, ${broken} broken connections; ${after} handles in the end`)
    return { most, rate, phases: figures, untrue, broken, handles: { before, after } }
  } finally {
    await Promise.all(children.map(stopPinned))
  }
}
