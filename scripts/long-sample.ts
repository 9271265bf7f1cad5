/**
 * `npm run test:sample [TREE]`: as much of the long run as fits into eight minutes. The tree's hash decides which
 * suites run first, and with which crashpoints and kills, so that each commit tries different ones and a failure can be
 * repeated. Suites that are cut off by the end of the time are listed and do not count. Not for a release: `npm run
 * test:nightly` runs everything.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync } from "node:fs"
import { join } from "node:path"
import { RUN_THINNED, RUN_TURN } from "./testing/Sample.ts"

const root = join(import.meta.dirname, "..")
const SAMPLE_MS = 8 * 60_000
/** A suite that starts processes takes minutes, so none starts after this much of the time. */
const PROCESSES_MS = SAMPLE_MS / 2
/** Each suite runs one in this many of the cases of the nightly run. */
const THINNED = 12
/** How many suites without processes share one run of vitest. */
const GROUP = 8

const treeOf = (): string => {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" })
  return stdout.trim() || "no tree"
}

const tree = process.argv[2] ?? treeOf()
const hashOf = (text: string): string => createHash("sha256").update(`${tree} ${text}`).digest("hex")
const shuffled = (pattern: string): ReadonlyArray<string> =>
  globSync(`{src,ports,adapters,hosts,property-tests,scripts}/**/${pattern}`, { cwd: root }).map((path) => ({
    path,
    at: hashOf(path)
  }))
    .toSorted((one, other) => one.at < other.at ? -1 : 1).map(({ path }) => path)

const processes = shuffled("*.long.test.ts").map((path) => [path])
const functions = shuffled("*.{prop,ref,sim,fuzz}.test.ts")
const groups = Array.from(
  { length: Math.ceil(functions.length / GROUP) },
  (_, index) => functions.slice(index * GROUP, (index + 1) * GROUP)
)

const turn = (Number.parseInt(hashOf("turn").slice(0, 8), 16) / 2 ** 32).toFixed(3)
const variables = { CAUSEWAY_LONG: "1", [RUN_TURN]: turn, [RUN_THINNED]: `${THINNED}` }
const until = Date.now() + SAMPLE_MS

/** The exit code of one run of vitest, or undefined when the time ended first. */
const run = (suites: ReadonlyArray<string>) =>
  new Promise<number | undefined>((resolve) => {
    // In a process group of its own, so that a signal also reaches the processes that the suites started.
    const child = spawn("npx", ["vitest", "run", ...suites], {
      cwd: root,
      env: { ...process.env, ...variables },
      stdio: "inherit",
      detached: true
    })
    let isOver = false
    const end = (signal: NodeJS.Signals) => {
      isOver = true
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    }
    const timers = [
      setTimeout(end, until - Date.now(), "SIGINT"),
      setTimeout(end, until - Date.now() + 10_000, "SIGKILL")
    ]
    child.once("exit", (code) => {
      for (const timer of timers) clearTimeout(timer)
      resolve(isOver ? undefined : code ?? 1)
    })
  })

const replayOf = (suites: ReadonlyArray<string>): string =>
  `${Object.entries(variables).map(([name, value]) => `${name}=${value}`).join(" ")} npm test -- ${suites.join(" ")}`

const say = (line: string) => process.stdout.write(`${line}\n`)

say(`A sample of the long run for the tree ${tree}; the same again: npm run test:sample -- ${tree}`)
let ran = 0
const failed: Array<string> = []
const queue = [...groups]
for (let round = 0; queue.length > 0 || round < processes.length; round += 1) {
  const isEarly = until - Date.now() > SAMPLE_MS - PROCESSES_MS
  const next = round % 2 === 0 && isEarly ? processes[round / 2] : queue.shift()
  if (next === undefined || Date.now() > until - 10_000) break
  say(`\n$ ${replayOf(next)}`)
  let code = await run(next)
  // A suite with processes can fail because the machine stalls for a second, so it is run once more, alone, and listed.
  // A failing property is always a bug.
  if (code !== undefined && code !== 0 && processes.includes(next)) {
    say(`\n!!! failed, and run again: ${next.join(" ")}`)
    code = (await run(next)) ?? code
  }
  if (code === undefined) {
    say(`The eight minutes are over; not judged: ${next.join(" ")}`)
    break
  }
  ran += next.length
  if (code !== 0) failed.push(replayOf(next))
}
say(`\nThe sample ran ${ran} of ${functions.length + processes.length} suites of the long run`)
for (const replay of failed) say(`FAILED; the same again: ${replay}`)
process.exitCode = failed.length === 0 && ran > 0 ? 0 : 1
