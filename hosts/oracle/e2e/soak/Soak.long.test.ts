/**
 * The short form of `npm run oracle:soak`: every way in which endpoints fail, some seconds each. It runs in a process
 * of its own, which binds itself to a core.
 */
import { assert, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { faultsOf } from "../../testing/soak/Faults.ts"

it(
  "an oracle whose endpoints fail and recover gives no false answer, and its memory and connections do not grow",
  async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../../testing/soak/main.ts"), "27"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString()
    })
    assert.strictEqual(await new Promise((resolve) => child.on("exit", resolve)), 0, output)
    assert.match(output, /all answer again +\d{2,} answers, +0 of them 503/)
  },
  300_000
)

it("false answers, open connections, growth, slowness and needless refusals are detected", () => {
  const phase = (name: string, changes: object = {}) => ({
    name,
    answered: 1_000,
    unavailable: 0,
    p50: 1,
    p99: 2,
    slowest: 3,
    memory: 100,
    ...changes
  })
  const right = {
    most: 100,
    rate: 50,
    phases: ["all answer", "one lies", "all are dead", "all answer again"].map((name) => phase(name)),
    untrue: [],
    broken: 0,
    handles: { before: 20, after: 20 }
  }
  assert.deepStrictEqual(faultsOf(right), [])
  const wrong: Readonly<Record<string, object>> = {
    "not the truth": { untrue: ["an answer"] },
    "connections broke": { broken: 1 },
    "handles stay open": { handles: { before: 20, after: 21 } },
    "memory grew": { phases: [...right.phases, phase("all answer again", { memory: 200 })] },
    "an answer took": { phases: [phase("all are dead", { slowest: 20_000 })] },
    "unavailable while all answer again": { phases: [phase("all answer again", { unavailable: 1 })] },
    "unavailable while only one lies": { phases: [phase("one lies", { unavailable: 11 })] }
  }
  for (const [words, changes] of Object.entries(wrong)) {
    assert.match(faultsOf({ ...right, ...changes }).join("; "), new RegExp(words), words)
  }
})
