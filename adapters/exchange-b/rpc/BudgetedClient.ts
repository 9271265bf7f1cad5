/**
 * A client that asks its endpoint no more than its budget allows (EXCHANGEB-8). A read beyond that fails as `over-quota`
 * without a request, and so does every read while the endpoint rests. A signed transfer is always submitted: a payment
 * is not held up by reads, and the exchange counts it apart.
 *
 * The exchange's clock is read before almost every other read, so one reading of it serves for the time of a few requests.
 * It then shows a little less time than has passed, never more.
 */
import { Effect } from "effect"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import { AskedFor } from "../../endpoints/AskedFor.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"
import type { RequestBudget, Weighed } from "./RequestBudget.ts"

export const budgeted = (client: ExchangeBClient, budget: RequestBudget): ExchangeBClient => {
  const within = Effect.fnUntraced(
    function*<A>(path: Weighed, asked: Effect.Effect<A, ReadFault>): Effect.fn.Return<A, ReadFault> {
      if (!budget.take(path, yield* AskedFor, yield* elapsedMillis)) return yield* Effect.fail("over-quota" as const)
      return yield* asked
    }
  )
  let clock: { readonly at: number; readonly said: unknown } | undefined
  const root: ExchangeBClient["root"] = Effect.fnUntraced(function*(deadline) {
    const now = yield* elapsedMillis
    if (clock !== undefined && now < clock.at + budget.clockMs) return clock.said
    const said = yield* within("usual", client.root(deadline))
    clock = { at: now, said }
    return said
  })
  return {
    root,
    transaction: (hash, deadline) => within("usual", client.transaction(hash, deadline)),
    logs: (account, deadline) => within("usual", client.logs(account, deadline)),
    assets: (deadline) => within("usual", client.assets(deadline)),
    account: (index, deadline) => within("usual", client.account(index, deadline)),
    nextNonce: (account, apiKey, deadline) => within("nextNonce", client.nextNonce(account, apiKey, deadline)),
    transferFee: (from, to, deadline) => within("transferFee", client.transferFee(from, to, deadline)),
    transfers: (of, cursor, deadline) => within("usual", client.transfers(of, cursor, deadline)),
    transactions: (of, skipped, deadline) => within("usual", client.transactions(of, skipped, deadline)),
    submit: client.submit
  }
}
