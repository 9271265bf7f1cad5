/** `npm run simulate`: runs seeds and reports what struck, and for a failure its history and how to replay it. */
import { parseArgs } from "node:util"
import { faultNames, parseFaults } from "./Faults.ts"
import type { Fault } from "./Faults.ts"
import { flowNames, parseFlows } from "./flows/Flows.ts"
import type { Flow } from "./flows/Flows.ts"
import { anyStrategyNames, parseStrategies } from "./adversaries/Strategies.ts"
import type { AnyStrategy } from "./adversaries/Strategies.ts"
import { search } from "./adversaries/Search.ts"
import { readSettings } from "./Service.ts"
import { worlds } from "./Terms.ts"
import type { Families } from "./Terms.ts"
import { floors, simulate } from "./World.ts"
import type { Floor } from "./World.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    faults: { type: "string", default: "all" },
    flows: { type: "string", default: "all" },
    floor: { type: "string", default: "full" },
    families: { type: "string", default: "ledger" },
    adversary: { type: "string", default: "all" },
    search: { type: "string" },
    history: { type: "boolean", default: false },
    log: { type: "boolean", default: false }
  }
})
const [first, seeds, faults] = [Number(values.seed), Number(values.seeds), parseFaults(values.faults)]
const adversary = parseStrategies(values.adversary)
const flows = parseFlows(values.flows)
const floor = floors.find((name) => name === values.floor)
const families = worlds.find((name) => name === values.families)
const say = (line: string) => void process.stdout.write(`${line}\n`)

interface Asked {
  readonly on: ReadonlySet<Fault>
  readonly playing: ReadonlySet<AnyStrategy>
  readonly flows: ReadonlySet<Flow>
  readonly floor: Floor
  readonly families: Families
}

const run = async ({ families, floor, flows, on, playing }: Asked): Promise<boolean> => {
  const environment = await readSettings(families)
  const struck = new Map<Fault, number>()
  const failed: Array<number> = []
  const from = performance.now()
  for (let seed = first; seed < first + seeds; seed += 1) {
    const outcome = await simulate({ seed, faults: on, floor, families, flows, environment, adversary: playing })
    for (const [name, times] of outcome.struck) struck.set(name, (struck.get(name) ?? 0) + times)
    if (values.history || outcome.broken.length > 0) outcome.history.forEach(say)
    if (values.log) outcome.log.forEach(say)
    if (outcome.broken.length > 0) {
      failed.push(seed)
      outcome.broken.forEach((law) => say(`BROKEN: ${law}`))
      say(
        `replay: npm run simulate -- --seed ${seed} --faults ${values.faults} --adversary ${values.adversary} --flows ${values.flows} --floor ${floor} --families ${families}`
      )
    }
    const done = seed - first + 1
    if (done % 10 === 0 || done === seeds) {
      const minutes = (performance.now() - from) / 60_000
      say(`${done} seeds, ${failed.length} failed, ${(done / minutes).toFixed(0)} a minute`)
    }
  }
  say(faultNames.flatMap((name) => on.has(name) ? [`${name} ${struck.get(name) ?? 0}`] : []).join(", "))
  if (failed.length > 0) say(`failed: ${failed.join(", ")}`)
  return failed.length === 0
}

/** What came closest to profit, and how. */
const searchFor = async (
  on: ReadonlySet<Fault>,
  runs: number,
  floor: Floor,
  families: Families
): Promise<boolean> => {
  const { outcome: { broken, history }, plan } = await search({
    environment: await readSettings(families),
    families,
    faults: on,
    floor,
    runs,
    say,
    seed: first
  })
  if (broken.length > 0) history.forEach(say)
  broken.forEach((law) => say(`BROKEN: ${law}`))
  say(JSON.stringify(plan))
  return broken.length === 0
}

const isCount = Number.isInteger(first) && Number.isInteger(seeds)
const isKnown = faults !== undefined && adversary !== undefined && flows !== undefined
if (!isKnown || floor === undefined || families === undefined || !isCount) {
  say(
    `usage: npm run simulate -- --seed N --seeds N --faults all|none|${faultNames.join(",")} --adversary all|none|${
      anyStrategyNames.join(",")
    } --flows all|none|${flowNames.join(",")} --floor ${floors.join("|")} --families ${
      worlds.join("|")
    } [--search N] [--history] [--log]`
  )
  process.exitCode = 2
} else {
  const holds = values.search === undefined
    ? await run({ on: faults, playing: adversary, flows, floor, families })
    : await searchFor(faults, Number(values.search), floor, families)
  if (!holds) process.exitCode = 1
}
