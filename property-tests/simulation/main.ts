/** `npm run simulate`: runs seeds and reports what struck, and for a failure its history and how to replay it. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { answer, maybe, ProgramFailed, runProgram, teller, wrongUsage } from "../../hosts/cli/Program.ts"
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

const text = (name: string, description: string, fallback: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; ${fallback} unless given`), Flag.withDefault(fallback))

const count = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(`${description}; 1 unless given`), Flag.withDefault(1))

const several = (names: ReadonlyArray<string>): string =>
  `all, none, or some of these, separated by commas: ${names.join(", ")}`

const flags = {
  seed: count("seed", "the first seed"),
  seeds: count("seeds", "how many, one after the other"),
  faults: text("faults", several(faultNames), "all"),
  flows: text("flows", several(flowNames), "all"),
  floor: text("floor", floors.join(" or "), "full"),
  families: text("families", worlds.join(" or "), "ledger"),
  adversary: text("adversary", several(anyStrategyNames), "all"),
  search: maybe("search", "so many runs in search of what comes closest to a profit"),
  history: Flag.Boolean("history").pipe(
    Flag.withDescription("the history of every run, not of failed ones alone"),
    Flag.withDefault(false)
  ),
  log: Flag.Boolean("log").pipe(Flag.withDescription("the service's log of every run"), Flag.withDefault(false))
} as const

type Values = Command.Command.Config.Infer<typeof flags>
type Say = (line: string) => void

interface Asked {
  readonly on: ReadonlySet<Fault>
  readonly playing: ReadonlySet<AnyStrategy>
  readonly flows: ReadonlySet<Flow>
  readonly floor: Floor
  readonly families: Families
}

const run = async (values: Values, { families, floor, flows, on, playing }: Asked, say: Say) => {
  const environment = await readSettings(families)
  const struck = new Map<Fault, number>()
  const failed: Array<number> = []
  const from = performance.now()
  for (let { seed } = values; seed < values.seed + values.seeds; seed += 1) {
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
    const done = seed - values.seed + 1
    if (done % 10 === 0 || done === values.seeds) {
      const minutes = (performance.now() - from) / 60_000
      say(`${done} seeds, ${failed.length} failed, ${(done / minutes).toFixed(0)} a minute`)
    }
  }
  say(faultNames.flatMap((name) => on.has(name) ? [`${name} ${struck.get(name) ?? 0}`] : []).join(", "))
  return { result: { seeds: values.seeds, failed, struck: Object.fromEntries(struck) }, failed }
}

/** What came closest to profit, and how. */
const searchFor = async ({ seed }: Values, { families, floor, on: faults }: Asked, runs: number, say: Say) => {
  const environment = await readSettings(families)
  const { outcome: { broken, history }, plan } = await search({ environment, families, faults, floor, runs, say, seed })
  if (broken.length > 0) history.forEach(say)
  broken.forEach((law) => say(`BROKEN: ${law}`))
  return { result: { plan, broken }, failed: broken.length > 0 ? [seed] : [], text: JSON.stringify(plan) }
}

const askedBy = (values: Values): Asked | string => {
  const [on, playing, flows] = [
    parseFaults(values.faults),
    parseStrategies(values.adversary),
    parseFlows(values.flows)
  ]
  const floor = floors.find((name) => name === values.floor)
  const families = worlds.find((name) => name === values.families)
  if (on === undefined) return `--faults is ${several(faultNames)}`
  if (playing === undefined) return `--adversary is ${several(anyStrategyNames)}`
  if (flows === undefined) return `--flows is ${several(flowNames)}`
  if (floor === undefined) return `--floor is ${floors.join(" or ")}`
  if (families === undefined) return `--families is ${worlds.join(" or ")}`
  if (values.search !== undefined && !/^[1-9]\d{0,6}$/u.test(values.search)) return "--search is a number of runs"
  return { on, playing, flows, floor, families }
}

runProgram(
  Command.make(
    "simulate",
    flags,
    Effect.fnUntraced(function*(values) {
      const asked = askedBy(values)
      if (typeof asked === "string") return yield* wrongUsage(asked)
      const say = yield* teller
      const { failed, result, ...shown } = yield* Effect.promise(
        (): Promise<{ readonly result: object; readonly failed: ReadonlyArray<number>; readonly text?: string }> =>
          values.search === undefined
            ? run(values, asked, say)
            : searchFor(values, asked, Number(values.search), say)
      )
      if (failed.length > 0) {
        return yield* new ProgramFailed({ reason: "broken", message: `failed: ${failed.join(", ")}` })
      }
      yield* answer(result, shown.text ?? "no rule was broken")
    })
  ).pipe(Command.withDescription("Runs the service in a simulated world, one run a seed: docs/simulation.md."))
)
