/**
 * A node whose answers quotes may use again for a while: what accounts have, and what a call takes that was tried.
 * Whoever asks the same meanwhile waits for the same answer. A failure is not kept.
 *
 * Not for payments: they ask the node each time.
 */
import { Cache, Duration, Effect, Exit } from "effect"
import type { TronNode } from "./TronNode.ts"

/** More questions than quotes ask within a second. */
const CAPACITY = 10_000

/** `maxAgeMs`: milliseconds; zero remembers nothing. `requestMs`: the deadline of one request. */
export const remembering = Effect.fnUntraced(function*(node: TronNode, maxAgeMs: number, requestMs: number) {
  if (maxAgeMs === 0) return node
  const kept = yield* Cache.makeWith(
    ({ asked, method }: { readonly method: string; readonly asked: object }) => node.wallet(method, asked, requestMs),
    { capacity: CAPACITY, timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.millis(maxAgeMs) : Duration.zero }
  )
  // Clients call from fibers of their own, whose clock may be another one.
  const context = yield* Effect.context()
  return {
    ...node,
    wallet: (method, asked) => Effect.provideContext(Cache.get(kept, { method, asked }), context)
  } satisfies TronNode
})
