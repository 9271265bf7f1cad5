/** The endpoints of the simulated Tron chain: three nodes, and their faults. One at most is unwell at a time. */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Clock, Effect, Redacted, Result } from "effect"
import type { Context } from "effect"
import type { RpcFault } from "../../../adapters/quorum/rpc/Deadline.ts"
import type { ConnectTron, TronNode } from "../../../adapters/tron/rpc/TronNode.ts"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import type { Gate } from "../Gate.ts"
import { moods, shownBy, solidShownBy } from "./NodeMoods.ts"
import type { Mood, Unwell } from "./NodeMoods.ts"
import { rpcAnswer, walletAnswer } from "./TronAnswers.ts"
import type { TronChain } from "./TronChain.ts"
import { headOf } from "./TronLedger.ts"
import type { ChainState } from "./TronLedger.ts"

export interface TronNodes {
  /** Endpoints become faulty and recover, for ever. */
  readonly live: Effect.Effect<never>
  /** How a process reaches the nodes. `context`: of the run, because clients call from fibers of their own. */
  readonly connect: (gate: Gate, context: Context.Context<never>) => ConnectTron
}

const NAMES = ["one", "two", "three"] as const
const CHANGE_MS = 20_000
/** Calls a second that a node with a limit answers. */
const LIMIT = 20

/** `onSent`: called for each transaction that a process sends, before any node has it. */
export const makeTronNodes = (
  chain: TronChain,
  dice: Dice,
  faults: Faults,
  tell: (event: string) => void,
  onSent: (bytes: Uint8Array) => Effect.Effect<void>
): TronNodes => {
  const unwell: Unwell & { mood: Mood | undefined; host: string; behind: number; calls: number; second: number } = {
    chain,
    mood: undefined,
    host: "",
    behind: 0,
    calls: 0,
    second: 0,
    fork: undefined
  }

  const change = Effect.sync(() => {
    const before = unwell.mood
    const [first, ...rest] = moods.filter((mood) => faults.strikes(mood, 0.1))
    unwell.mood = first === undefined ? undefined : dice.pick([first, ...rest])
    unwell.host = dice.pick(NAMES)
    unwell.behind = dice.between(1, 15)
    unwell.fork = undefined
    if (unwell.mood !== before) tell(`tron: ${unwell.mood ?? "nothing wrong"} at node ${unwell.host}`)
  })

  const take = (mood: Mood | undefined, bytes: Uint8Array): object => {
    if (mood === "node-refuses-sends" || mood === "node-wrong-chain") {
      return { result: false, code: "SERVER_BUSY", message: "busy" }
    }
    if (mood === "node-swallows-sends") return { result: true, code: "SUCCESS" }
    const taken = chain.send(bytes)
    return Result.isFailure(taken) ? { result: false, ...taken.failure } : { result: true, code: "SUCCESS" }
  }

  const count = Effect.map(Clock.currentTimeMillis, (now) => {
    const second = Math.floor(now / 1_000)
    unwell.calls = second === unwell.second ? unwell.calls + 1 : 1
    unwell.second = second
  })

  /** What a node answers, with whatever is wrong with it. */
  const answering = (
    name: string,
    deadline: number,
    answer: (mood: Mood | undefined, state: ChainState) => unknown,
    part: "wallet" | "solidity" = "wallet"
  ): Effect.Effect<unknown, RpcFault> =>
    Effect.gen(function*() {
      const mood = unwell.host === name ? unwell.mood : undefined
      if (mood === "node-silent") return yield* Effect.delay(Effect.fail("timeout" as const), deadline)
      if (mood === "node-slow") yield* Effect.sleep(dice.between(200, deadline))
      yield* count
      if (mood === "node-error" || (mood === "node-limits" && unwell.calls > LIMIT)) {
        return yield* Effect.fail("refused" as const)
      }
      const answered = mood === "node-nonsense"
        ? { head: "high" }
        : answer(mood, (part === "solidity" ? solidShownBy : shownBy)(mood, unwell))
      if (answered === undefined) return yield* Effect.fail("refused" as const)
      return faults.strikes("answer-lost", 0.01) ? yield* Effect.fail("unreachable" as const) : answered
    })

  const nodeOf = (
    name: string,
    passed: (place: string) => <A, E>(asking: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) => {
    const ask = (part: "wallet" | "solidity"): TronNode["wallet"] => (method, asked, deadline) =>
      passed(`tron ${method}`)(Effect.gen(function*() {
        if (method === "broadcasthex" && "transaction" in asked) {
          const bytes = hexToBytes(String(asked.transaction))
          yield* onSent(bytes)
          return yield* answering(name, deadline, (mood) => take(mood, bytes))
        }
        return yield* answering(name, deadline, (mood, state) => {
          // Its solidified part has none of the newer blocks, whatever the other one shows.
          if (mood === "node-without-blocks" && method === "getblock" && "id_or_num" in asked) return {}
          return walletAnswer(state, method, { ...asked })
        }, part)
      }))
    return {
      wallet: ask("wallet"),
      solidity: ask("solidity"),
      jsonRpc: (calls, deadline) =>
        passed(`tron ${calls[0]?.method ?? ""}`)(
          Effect.forEach(
            calls,
            ({ method, params }) =>
              answering(name, deadline, (mood, state) =>
                mood === "node-wrong-chain" && method === "eth_chainId" ? "0x1" : rpcAnswer(state, method, params))
          )
        )
    } satisfies TronNode
  }

  return {
    live: Effect.forever(Effect.andThen(Effect.sleep(CHANGE_MS), change)),
    connect: (gate, context) => (url) =>
      Effect.sync(() => {
        const [name = ""] = new URL(Redacted.value(url)).hostname.split(".")
        return nodeOf(name, (place) => (asking) =>
          asking.pipe(
            gate.around(place),
            (gated) => Effect.andThen(gate.thawed, gated),
            Effect.tap(() => gate.thawed),
            Effect.provideContext(context)
          ))
      })
  }
}

/** Whether nothing can change any more what became of a transaction: it is solidified, or none may hold it. */
export const isSettled = (state: ChainState, id: string, expiration: number): boolean => {
  const { places } = headOf(state)
  const at = places.get(id)
  return at === undefined ? (state.blocks[state.solid]?.time ?? 0) >= expiration : at <= state.solid
}
