/**
 * A node of Solana whose leaders never take the first transaction that names an order: it is accepted, gone, and expires. What is
 * signed for that order afterwards they take.
 */
import { Effect, Schedule } from "effect"
import type { Solana } from "../../../localnet/chains/Solana.ts"
import { base58 } from "@scure/base"
import { lyingNode } from "../../testing/LyingNode.ts"

/** More than a blockhash lives, and what comes until that is final. */
const LIFETIME = 160

const parsed = (wire: unknown) => {
  const bytes = Buffer.from(String(wire), "base64")
  return { signature: base58.encode(bytes.subarray(1, 65)), order: /0x[0-9a-f]{64}/.exec(bytes.toString("latin1"))?.[0] ?? "none" }
}

/** `busy` says whether somebody is about to send a transaction of his own, which must not expire. */
export const unluckyNode = Effect.fnUntraced(function*({ mine, url }: Pick<Solana, "mine" | "url">, busy: () => boolean) {
  const node = yield* lyingNode(url)
  const dropped = new Map<string, string>()
  let due = false
  const expire = Effect.suspend(() => {
    if (!due || busy()) return Effect.void
    due = false
    return mine(LIFETIME)
  })
  yield* Effect.forkScoped(Effect.repeat(expire, Schedule.spaced("20 millis")))
  return {
    url: node.url,
    /** How many orders it happened to. */
    count: () => dropped.size,
    strike: Effect.acquireRelease(
      Effect.sync(() => node.lie((call, truth) => {
        if (call.method !== "sendTransaction") return truth()
        const { order, signature } = parsed(call.params?.[0])
        if (!dropped.has(order)) {
          dropped.set(order, signature)
          due = true
        }
        return dropped.get(order) === signature ? Promise.resolve({ result: signature }) : truth()
      })),
      () => Effect.sync(() => node.tellTheTruth())
    )
  }
})
