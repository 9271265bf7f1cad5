/**
 * A Solana node whose leaders drop the first transaction that names an order: it is accepted, lost, and expires. When
 * another transaction is signed for that order, the node sends the first one before it. That moves nothing only if the
 * first was dead by then.
 */
import { Effect, Schedule } from "effect"
import type { Solana } from "../../../../localnet/nodes/solana/Solana.ts"
import { base58 } from "@scure/base"
import { lyingNode } from "../../../testing/LyingNode.ts"
import type { Call } from "../../../testing/LyingNode.ts"

/** Longer than a blockhash is valid, including finality. */
const LIFETIME = 160

const parsed = (wire: unknown) => {
  const bytes = Buffer.from(String(wire), "base64")
  return {
    signature: base58.encode(bytes.subarray(1, 65)),
    order: /0x[0-9a-f]{64}/.exec(bytes.toString("latin1"))?.[0] ?? "none"
  }
}

/** Long enough that a solver which does not wait for the proof would sign again while the first can be executed. */
const PATIENCE = "1500 millis"

/** While `busy` nothing expires: the test is about to send its own transaction, or uses the dropped one itself. */
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
      /** The number of orders that it happened to. */
      count: () => dropped.size,
      /** The dropped transactions, base64 as received, which anyone who kept them may send. */
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
