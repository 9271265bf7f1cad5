/**
 * The endpoints of the simulated Bitcoin chain: three nodes and one explorer, and their faults. One node at most is
 * unwell at a time, and the explorer may be unwell beside it.
 */
import { Clock, Effect, Redacted, Result } from "effect"
import type { Context } from "effect"
import type { Ask, ConnectHttp, ExplorerFault } from "../../../adapters/bitcoin/observe/explorer/ExplorerHttp.ts"
import type { ConnectCore } from "../../../adapters/bitcoin/rpc/CoreRpc.ts"
import type { RpcAnswer, RpcCall } from "../../../adapters/quorum/rpc/JsonRpcPool.ts"
import { hexToBytes } from "@noble/hashes/utils.js"
import type { Dice } from "../Dice.ts"
import type { Fault, Faults } from "../Faults.ts"
import type { Gate } from "../Gate.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf } from "./CoinChain.ts"
import { coreAnswer } from "./CoreNode.ts"
import { esploraAnswer } from "./Esplora.ts"
import { moods, shownBy } from "./NodeMoods.ts"
import type { Mood, Unwell } from "./NodeMoods.ts"

export interface BitcoinNodes {
  /** Endpoints become faulty and recover, for ever. */
  readonly live: Effect.Effect<never>
  /** How a process reaches nodes and explorer. `context`: of the run, because clients call from fibers of their own. */
  readonly connect: (
    gate: Gate,
    context: Context.Context<never>
  ) => { readonly core: ConnectCore; readonly explorer: ConnectHttp }
}

const explorerMoods = [
  "explorer-silent",
  "explorer-error",
  "explorer-lags",
  "explorer-hides",
  "explorer-misnames",
  "explorer-dear"
] as const satisfies ReadonlyArray<Fault>
type ExplorerMood = (typeof explorerMoods)[number]

const NAMES = ["one", "two", "three"] as const
const CHANGE_MS = 20_000
/** Calls a second that a node with a limit answers. */
const LIMIT = 20
/** Older blocks than these are pruned. */
const KEPT_BLOCKS = 8

const failed = (code: number, message: string, at: number): RpcAnswer => ({ id: at + 1, error: { code, message } })

/** `onSent`: called for each transaction that a process sends, before any node has it. */
export const makeBitcoinNodes = (
  chain: BitcoinChain,
  dice: Dice,
  faults: Faults,
  tell: (event: string) => void,
  onSent: (bytes: Uint8Array) => Effect.Effect<void>
): BitcoinNodes => {
  const unwell: Unwell & { mood: Mood | undefined; host: string; behind: number; calls: number; second: number } = {
    chain,
    mood: undefined,
    host: "",
    behind: 0,
    calls: 0,
    second: 0,
    fork: undefined
  }
  let explorerMood: ExplorerMood | undefined

  const drawn = <M extends Fault>(of: ReadonlyArray<M>): M | undefined => {
    const [first, ...rest] = of.filter((mood) => faults.strikes(mood, 0.1))
    return first === undefined ? undefined : dice.pick([first, ...rest])
  }
  const change = Effect.sync(() => {
    const before = [unwell.mood, explorerMood]
    unwell.mood = drawn(moods)
    unwell.host = dice.pick(NAMES)
    unwell.behind = dice.between(1, 15)
    unwell.fork = undefined
    explorerMood = drawn(explorerMoods)
    if (unwell.mood !== before[0]) tell(`bitcoin: ${unwell.mood ?? "nothing wrong"} at node ${unwell.host}`)
    if (explorerMood !== before[1]) tell(`bitcoin: ${explorerMood ?? "explorer-well"}`)
  })

  const send = (mood: Mood | undefined, hex: string, at: number): RpcAnswer => {
    if (mood === "node-refuses-sends" || mood === "node-wrong-chain") return failed(-26, "not here", at)
    if (mood === "node-swallows-sends") return { id: at + 1, result: "00".repeat(32) }
    const taken = chain.send(hexToBytes(hex))
    return Result.isFailure(taken)
      ? failed(taken.failure.code, taken.failure.message, at)
      : { id: at + 1, result: "00".repeat(32) }
  }

  const answered = (mood: Mood | undefined, call: RpcCall, at: number): RpcAnswer => {
    if (call.method === "sendrawtransaction") return send(mood, String(call.params[0]), at)
    const state = shownBy(mood, unwell)
    if (call.method === "getblock" && (mood === "node-pruned" || mood === "node-without-blocks")) {
      const place = state.blocks.find(({ header }) => header.hash === call.params[0])
      const isGone = mood === "node-without-blocks" || (place?.height ?? 0) < headOf(state).height - KEPT_BLOCKS
      if (isGone) return failed(-1, "Block not available (pruned data)", at)
    }
    return coreAnswer(state, call, at)
  }

  const count = Effect.map(Clock.currentTimeMillis, (now) => {
    const second = Math.floor(now / 1_000)
    unwell.calls = second === unwell.second ? unwell.calls + 1 : 1
    unwell.second = second
  })

  const callNode = (name: string) => (calls: ReadonlyArray<RpcCall>, deadline: number) =>
    Effect.gen(function*() {
      for (const { method, params } of calls) {
        if (method === "sendrawtransaction") yield* onSent(hexToBytes(String(params[0])))
      }
      const mood = unwell.host === name ? unwell.mood : undefined
      if (mood === "node-silent") return yield* Effect.delay(Effect.fail("timeout" as const), deadline)
      if (mood === "node-slow") yield* Effect.sleep(dice.between(200, deadline))
      yield* count
      if (mood === "node-error" || (mood === "node-limits" && unwell.calls > LIMIT)) {
        return yield* Effect.fail("refused" as const)
      }
      const answers = calls.map((call, at) =>
        mood === "node-nonsense" ? { id: at + 1, result: { head: "high" } } : answered(mood, call, at)
      )
      return faults.strikes("answer-lost", 0.01) ? yield* Effect.fail("unreachable" as const) : answers
    })

  /** Coins that it hides, spenders that it names wrongly, and rates that are too high. */
  const shownByExplorer = (path: string): unknown => {
    const state = explorerMood === "explorer-lags" ? chain.before(unwell.behind) : chain.state()
    const said = esploraAnswer(state, path)
    if (explorerMood === "explorer-hides" && path.startsWith("/address/")) return []
    if (explorerMood === "explorer-misnames" && path.includes("/outspend/")) {
      return { spent: true, txid: state.blocks[0].transactions[1]?.id }
    }
    return explorerMood === "explorer-dear" && path === "/fee-estimates" ? { 1: Number(state.rate) / 100 } : said
  }

  const askExplorer: Ask = ({ path }, deadline) =>
    Effect.gen(function*(): Generator<Effect.Effect<unknown, ExplorerFault>, unknown, never> {
      if (explorerMood === "explorer-silent") {
        return yield* Effect.delay(Effect.fail("timeout" as const), deadline)
      }
      if (explorerMood === "explorer-error") return yield* Effect.fail("refused" as const)
      return shownByExplorer(path)
    })

  return {
    live: Effect.forever(Effect.andThen(Effect.sleep(CHANGE_MS), change)),
    connect: (gate, context) => {
      const passed = (place: string) => <A, E>(asking: Effect.Effect<A, E>) =>
        asking.pipe(
          gate.around(place),
          (gated) => Effect.andThen(gate.thawed, gated),
          Effect.tap(() => gate.thawed),
          Effect.provideContext(context)
        )
      return {
        core: (url) =>
          Effect.sync(() => {
            const [name = ""] = new URL(Redacted.value(url)).hostname.split(".")
            return {
              answers: (calls, deadline) => passed(`bitcoin ${calls[0]?.method ?? ""}`)(callNode(name)(calls, deadline))
            }
          }),
        explorer: () => Effect.succeed((asked, deadline) => passed("explorer")(askExplorer(asked, deadline)))
      }
    }
  }
}
