/**
 * A node of Solana whose leaders do not take the first transaction that names an order: it is accepted, forgotten, and
 * expires. When another one is signed for that order it remembers the first, and hands it on before: that moves nothing
 * only if the first was dead by then.
 */
import { Effect, Schedule } from "effect"
import type { Solana } from "../../../../localnet/nodes/solana/Solana.ts"
import { base58 } from "@scure/base"
import { lyingNode } from "../../../testing/LyingNode.ts"
import type { Call } from "../../../testing/LyingNode.ts"

/** More than a blockhash lives, and what comes until that is final. */
const LIFETIME = 160

const parsed = (wire: unknown) => {
  const bytes = Buffer.from(String(wire), "base64")
  return {
    signature: base58.encode(bytes.subarray(1, 65)),
    order: /0x[0-9a-f]{64}/.exec(bytes.toString("latin1"))?.[0] ?? "none"
  }
}

/** Long enough that whoever does not wait for the proof signs anew while the first is alive. */
const PATIENCE = "1500 millis"

/**
 * While `busy` nothing expires: somebody is about to send a transaction of his own, or has other plans for the one that
 * was dropped.
 */
export const unluckyNode = Effect.fnUntraced(
  function*({ mine, url }: Pick<Solana, "mine" | "url">, busy: () => boolean) {
    const node = yield* lyingNode(url)
    const dropped = new Map<string, { readonly signature: string; readonly call: Call }>()
    let due = false
    const expire = Effect.suspend(() => {
      if (!due || busy()) return Effect.void
      due = false
      return Effect.andThen(
        Effect.sleep(PATIENCE),
        Effect.andThen(Effect.repeat(Effect.sleep("20 millis"), { until: () => !busy() }), mine(LIFETIME))
      )
    })
    yield* Effect.forkScoped(Effect.repeat(expire, Schedule.spaced("20 millis")))
    return {
      url: node.url,
      /** How many orders it happened to. */
      count: () => dropped.size,
      /** What was dropped, base64 as it came: whoever kept it may send it. */
      wires: (): ReadonlyArray<string> => [...dropped.values()].map(({ call }) => String(call.params?.[0])),
      strike: Effect.acquireRelease(
        Effect.sync(() =>
          node.lie((call, truth) => {
            if (call.method !== "sendTransaction") return truth()
            const { order, signature } = parsed(call.params?.[0])
            if (!dropped.has(order)) {
              dropped.set(order, { signature, call })
              due = true
            }
            const first = dropped.get(order)
            if (first === undefined || first.signature === signature) return Promise.resolve({ result: signature })
            return node.ask(first.call).then(truth)
          })
        ),
        () => Effect.sync(() => node.tellTheTruth())
      )
    }
  }
)
