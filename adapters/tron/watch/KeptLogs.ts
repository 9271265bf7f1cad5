/**
 * Whether a node still has the logs of old blocks (TRON-28).
 *
 * A node finds logs by an index of its own, which it has only of the blocks that it executed with its JSON-RPC enabled.
 * Of older ones it answers an empty list and no error: like a node that has their logs, where there are none. A scan
 * that believes it passes deposits for ever. So where a scan begins far below the head, the node has to find the logs of
 * a block there that has some.
 */
import { Effect, Result } from "effect"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { loggedIn, logsAt } from "./Logs.ts"

/** Blocks below the head that a node is taken to have: some three minutes. */
const KEPT_BLOCKS = 64n

/** The blocks that are looked through for one with a log, ever more of them at once. */
const PARTS = [1, 2, 4, 8, 16, 32]

/** The most contracts whose logs are asked for. */
const SOME = 8

/** What was read of a chain, and its head then. */
interface ReadRange {
  readonly from: bigint
  readonly to: bigint
  readonly head: bigint
}

/** What the node refuses to tell is no claim that there is nothing. Undefined then. */
const ifTold = <A>(asked: Effect.Effect<A, TronFault>): Effect.Effect<A | undefined, TronFault> =>
  Effect.flatMap(Effect.result(asked), (told) =>
    Result.isSuccess(told)
      ? Effect.succeed(told.success)
      : told.failure === "refused"
      ? Effect.succeed(undefined)
      : Effect.fail(told.failure))

/** Fails unless the node has the logs of the range, which it has been asked for before. */
export const assertLogsKept = Effect.fnUntraced(
  function*(node: TronNode, { from, head, to }: ReadRange, deadline: number): Effect.fn.Return<void, TronFault> {
    if (head - from <= KEPT_BLOCKS) return
    let next = from
    for (const blocks of PARTS) {
      const heights = Array.from({ length: blocks }, (_, index) => next + BigInt(index)).filter((height) =>
        height <= to
      )
      const told = yield* ifTold(
        Effect.forEach(heights, (height) => loggedIn(node, height, deadline), { concurrency: 4 })
      )
      if (told === undefined) return
      const held = told.findIndex((logs) => logs.length > 0)
      if (held >= 0) {
        const loggers = [...new Set((told[held] ?? []).map(({ address }) => address))].slice(0, SOME)
        // A stranger can make a block's logs too many for one answer.
        const found = yield* ifTold(logsAt(node, next + BigInt(held), loggers, deadline))
        return found?.length === 0 ? yield* Effect.fail("behind" as const) : undefined
      }
      next += BigInt(blocks)
    }
  }
)
