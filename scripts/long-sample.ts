/**
 * `npm run test:sample [TREE]`: as many of the long suites as fit into three minutes. The tree's hash decides which run
 * first, and with which crashpoints and kills, so that each commit tries different ones and a failure can be repeated.
 * A suite that is cut off by the end of the time is listed and does not count. The first one always has time to end.
 * Properties are not among them: within minutes they would try as many inputs as `npm test`, which has run before. Not
 * for a release: `npm run test:nightly` runs everything.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync } from "node:fs"
import { join } from "node:path"
import { RUN_THINNED, RUN_TURN } from "./testing/Sample.ts"

const root = join(import.meta.dirname, "..")
const SAMPLE_MS = 3 * 60_000
/** The longest suite takes less on two cores. */
const FIRST_MS = 10 * 60_000
/** A suite takes minutes, so none starts after this much of the time. */
const STARTS_MS = 90_000
/** Each suite runs one in this many of the cases of the nightly run. */
const THINNED = 12

const treeOf = (): string => {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" })
  return stdout.trim() || "no tree"
}

const tree = process.argv[2] ?? treeOf()
const hashOf = (text: string): string => createHash("sha256").update(`${tree} ${text}`).digest("hex")
const suites = globSync("{src,ports,adapters,hosts,property-tests,scripts}/**/*.long.test.ts", { cwd: root })
  .map((path) => ({ path, at: hashOf(path) }))
  .toSorted((one, other) => one.at < other.at ? -1 : 1)
  .map(({ path }) => path)

const turn = (Number.parseInt(hashOf("turn").slice(0, 8), 16) / 2 ** 32).toFixed(3)
const variables = { CAUSEWAY_LONG: "1", [RUN_TURN]: turn, [RUN_THINNED]: `${THINNED}` }
const from = Date.now()
let ran = 0

/** The exit code of one run of vitest, or undefined when the time ended first. */
const run = (suite: string) =>
  new Promise<number | undefined>((resolve) => {
    // In a process group of its own, so that a signal also reaches the processes that the suites started.
    const child = spawn("npx", ["vitest", "run", suite], {
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
    const left = from + (ran === 0 ? FIRST_MS : SAMPLE_MS) - Date.now()
    const timers = [setTimeout(end, left, "SIGINT"), setTimeout(end, left + 10_000, "SIGKILL")]
    child.once("exit", (code) => {
      for (const timer of timers) clearTimeout(timer)
      resolve(isOver ? undefined : code ?? 1)
    })
  })

const replayOf = (suite: string): string =>
  `${Object.entries(variables).map(([name, value]) => `${name}=${value}`).join(" ")} npm test -- ${suite}`

const say = (line: string) => process.stdout.write(`${line}\n`)

say(`A sample of the long run for the tree ${tree}; the same again: npm run test:sample -- ${tree}`)
const failed: Array<string> = []
for (const suite of suites) {
  if (Date.now() > from + STARTS_MS) break
  say(`\n$ ${replayOf(suite)}`)
  let code = await run(suite)
  // It can fail because the machine stalls for a second, so it is run once more, and listed.
  if (code !== undefined && code !== 0) {
    say(`\n!!! failed, and run again: ${suite}`)
    code = (await run(suite)) ?? code
  }
  if (code === undefined) {
    say(`The time is over; not judged: ${suite}`)
    break
  }
  ran += 1
  if (code !== 0) failed.push(replayOf(suite))
}
say(`\nThe sample ran ${ran} of ${suites.length} long suites`)
for (const replay of failed) say(`FAILED; the same again: ${replay}`)
process.exitCode = failed.length === 0 && ran > 0 ? 0 : 1
