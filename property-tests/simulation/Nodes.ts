/**
 * The endpoints of the simulated chains, three of each, and their faults. A faulty endpoint stays so for a while, and
 * at most one of a chain's three is: a quorum tolerates no more.
 */
import { Effect, Redacted } from "effect"
import type { Context } from "effect"
import type { HttpAnswer, HttpCall, HttpJson } from "../../adapters/quorum/index.ts"
import { answer } from "../../examples/ledger-vm/ledger/Answer.ts"
import { users } from "./Terms.ts"
import type { SimulatedChain } from "./Chain.ts"
import type { Dice } from "./Dice.ts"
import type { Fault, Faults } from "./Faults.ts"
import type { Gate } from "./Gate.ts"

const moods = [
  "node-silent",
  "node-slow",
  "node-error",
  "node-nonsense",
  "node-stale",
  "node-wrong-chain",
  "node-hides"
] as const satisfies ReadonlyArray<Fault>
type Mood = (typeof moods)[number] | undefined

/** A chain, and what is wrong with one of its endpoints. */
interface Served {
  readonly chain: SimulatedChain
  readonly other: SimulatedChain
  host: string
  mood: Mood
  /** How many blocks a stale endpoint is behind. */
  behind: number
}

export interface Nodes {
  /** Endpoints become faulty and recover, for ever. */
  readonly live: Effect.Effect<never>
  /** How a process reaches an endpoint. `context`: of the run, because clients call from fibers of their own. */
  readonly connect: (gate: Gate, context: Context.Context<never>) => (url: Redacted.Redacted) => Effect.Effect<HttpJson>
}

const NAMES = ["one", "two", "three"] as const

/** An endpoint that hides: it knows the chain's heads, and none of its transfers. */
const hiding = (call: HttpCall, chain: SimulatedChain): HttpAnswer => {
  if (call.path.startsWith("/v1/transfers/")) return chain.ask({ ...call, path: `/v1/transfers/${"0".repeat(64)}` })
  // The account of a user who never deposits: its list is empty.
  return call.path.startsWith("/v1/transfers?")
    ? chain.ask({ ...call, path: call.path.replace(/account=.*/u, `account=${users[0] ?? ""}x`) })
    : chain.ask(call)
}

/**
 * `onSent`: called for each transfer that a process sends, before any node has it.
 */
export const makeNodes = (
  pairs: ReadonlyArray<readonly [SimulatedChain, SimulatedChain]>,
  dice: Dice,
  faults: Faults,
  tell: (event: string) => void,
  onSent: (chain: SimulatedChain, body: unknown) => Effect.Effect<void>
): Nodes => {
  const served = pairs.map(([chain, other]): Served => ({ chain, other, host: "", mood: undefined, behind: 0 }))

  const change = Effect.sync(() => {
    for (const each of served) {
      const before = each.mood
      const [first, ...rest] = moods.filter((mood) => faults.strikes(mood, 0.1))
      each.mood = first === undefined ? undefined : dice.pick([first, ...rest])
      each.host = dice.pick(NAMES)
      each.behind = dice.between(1, 15)
      if (before !== each.mood) {
        tell(
          each.mood === undefined
            ? `${each.chain.slug}: its endpoints are well`
            : `${each.chain.slug}: ${each.mood} at endpoint ${each.host}`
        )
      }
    }
  })

  const respond = (mood: Mood, { behind, chain, other }: Served, call: HttpCall): HttpAnswer => {
    switch (mood) {
      case "node-error":
        return { status: 503, said: undefined }
      case "node-nonsense":
        return { status: 200, said: { head: "high" } }
      case "node-stale":
        return call.method === "GET" ? answer(chain.before(behind), call).answer : chain.ask(call)
      case "node-wrong-chain":
        return call.method === "GET" ? other.ask(call) : { status: 503, said: undefined }
      case "node-hides":
        return call.method === "GET" ? hiding(call, chain) : chain.ask(call)
      default:
        return chain.ask(call)
    }
  }

  const callOn = (each: Served, name: string) => (call: HttpCall, deadline: number) =>
    Effect.gen(function*() {
      if (call.method === "POST") yield* onSent(each.chain, call.body)
      const mood = each.host === name ? each.mood : undefined
      if (mood === "node-silent") return yield* Effect.delay(Effect.fail("timeout" as const), deadline)
      if (mood === "node-slow") yield* Effect.sleep(dice.between(200, deadline))
      const answered = respond(mood, each, call)
      return faults.strikes("answer-lost", 0.01) ? yield* Effect.fail("unreachable" as const) : answered
    })

  return {
    live: Effect.forever(Effect.andThen(Effect.sleep(20_000), change)),
    connect: (gate, context) => (url) =>
      Effect.sync(() => {
        const [name = "", slug = ""] = new URL(Redacted.value(url)).hostname.split(".")
        const each = served.find(({ chain }) => chain.slug === slug)
        return {
          call: (call: HttpCall, deadline: number) =>
            (each === undefined ? Effect.fail("unreachable" as const) : callOn(each, name)(call, deadline)).pipe(
              gate.around(`${call.method} ${slug} ${call.path.split(/[/?]/u)[2] ?? ""}`),
              Effect.provideContext(context)
            )
        }
      })
  }
}
