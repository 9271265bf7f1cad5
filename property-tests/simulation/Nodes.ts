/**
 * The endpoints of the simulated chains, three of each, and their faults. A faulty endpoint stays so for a while, and
 * at most one of a chain's three is: a quorum tolerates no more.
 */
import { Clock, Context, Effect, Redacted } from "effect"
import type { HttpAnswer, HttpCall, HttpJson } from "../../adapters/quorum/index.ts"
import type { RpcFault } from "../../adapters/quorum/rpc/Deadline.ts"
import type { SimulatedChain } from "./Chain.ts"
import type { Dice } from "./Dice.ts"
import { answerOf, moods } from "./faults/NodeMoods.ts"
import type { Mood, Unwell } from "./faults/NodeMoods.ts"
import type { Faults } from "./Faults.ts"
import { Killed } from "./Gate.ts"
import type { Gate } from "./Gate.ts"

/** A chain, and what is wrong with one of its endpoints. */
interface Served extends Unwell {
  host: string
  mood: Mood | undefined
  behind: number
  calls: number
  /** The second of those calls. */
  second: number
}

export interface Nodes {
  /** Endpoints become faulty and recover, for ever. */
  readonly live: Effect.Effect<never>
  /** How a process reaches an endpoint. `context`: of the run, because clients call from fibers of their own. */
  readonly connect: (gate: Gate, context: Context.Context<never>) => (url: Redacted.Redacted) => Effect.Effect<HttpJson>
}

const NAMES = ["one", "two", "three"] as const

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
  const served = pairs.map(([chain, other]): Served => ({
    chain,
    other,
    host: "",
    mood: undefined,
    behind: 0,
    calls: 0,
    second: 0,
    fork: undefined
  }))

  const change = Effect.sync(() => {
    for (const each of served) {
      const before = each.mood
      const [first, ...rest] = moods.filter((mood) => faults.strikes(mood, 0.1))
      each.mood = first === undefined ? undefined : dice.pick([first, ...rest])
      each.host = dice.pick(NAMES)
      each.behind = dice.between(1, 15)
      each.fork = undefined
      if (before !== each.mood) {
        tell(
          each.mood === undefined
            ? `${each.chain.slug}: its endpoints are well`
            : `${each.chain.slug}: ${each.mood} at endpoint ${each.host}`
        )
      }
    }
  })

  const moodAt = (each: Served, name: string) => each.host === name ? each.mood : undefined

  /** What the endpoint answers at this moment, milliseconds. */
  const answerNow = (each: Served, name: string, call: HttpCall, now: number): Effect.Effect<HttpAnswer, RpcFault> => {
    const mood = moodAt(each, name)
    const second = Math.floor(now / 1_000)
    each.calls = second === each.second ? each.calls + 1 : 1
    each.second = second
    const answered = mood === undefined ? each.chain.ask(call) : answerOf(mood, each, call)
    return faults.strikes("answer-lost", 0.01) ? Effect.fail("unreachable") : Effect.succeed(answered)
  }

  /** What takes time: what a process sends is checked first, and endpoints may be slow or silent. */
  const callSlowly = (each: Served, name: string, call: HttpCall, deadline: number) =>
    Effect.gen(function*() {
      if (call.method === "POST") yield* onSent(each.chain, call.body)
      const mood = moodAt(each, name)
      if (mood === "node-silent") return yield* Effect.delay(Effect.fail("timeout" as const), deadline)
      if (mood === "node-slow") yield* Effect.sleep(dice.between(200, deadline))
      return yield* answerNow(each, name, call, yield* Clock.currentTimeMillis)
    })

  const isSlow = (mood: Mood | undefined): boolean => mood === "node-silent" || mood === "node-slow"

  /** An endpoint as one process reaches it. Most calls take no time, and one step of a fiber. */
  const callOn = (
    each: Served,
    name: string,
    gate: Gate,
    context: Context.Context<never>
  ): HttpJson["call"] => {
    const clock = Context.get(context, Clock.Clock)
    return (call, deadline) => {
      const place = `${call.method} ${each.chain.slug} ${call.path.split(/[/?]/u)[2] ?? ""}`
      const slowly = () =>
        Effect.suspend(() => callSlowly(each, name, call, deadline)).pipe(
          gate.around(place),
          (asking) => Effect.andThen(gate.thawed, asking),
          Effect.tap(() => gate.thawed),
          Effect.provideContext(context)
        )
      return Effect.suspend(() => {
        if (gate.isFrozen() || call.method === "POST" || isSlow(moodAt(each, name))) return slowly()
        if (!gate.passes(`before ${place}`)) return Effect.die(new Killed(`before ${place}`))
        const answered = answerNow(each, name, call, clock.currentTimeMillisUnsafe())
        return gate.passes(`after ${place}`) ? answered : Effect.die(new Killed(`after ${place}`))
      })
    }
  }

  return {
    live: Effect.forever(Effect.andThen(Effect.sleep(20_000), change)),
    connect: (gate, context) => (url) =>
      Effect.sync(() => {
        const [name = "", slug = ""] = new URL(Redacted.value(url)).hostname.split(".")
        const each = served.find(({ chain }) => chain.slug === slug)
        return { call: each === undefined ? () => Effect.fail("unreachable") : callOn(each, name, gate, context) }
      })
  }
}
