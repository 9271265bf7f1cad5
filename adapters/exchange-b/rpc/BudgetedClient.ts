/**
 * A client that asks its endpoint no more than so many requests a minute (EXCHANGEB-8). A read beyond that fails as
 * `over-quota` without a request. A signed transfer is always submitted: a payment is not held up by reads.
 *
 * The exchange's clock is read before almost every other read, so one reading of it serves for the time in which two
 * requests fit into the budget. It then shows a little less time than has passed, never more.
 */
import { Effect } from "effect"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import type { WeightBudget } from "../../quorum/rpc/WeightBudget.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"

const MINUTE_MS = 60_000

export const budgeted = (client: ExchangeBClient, budget: WeightBudget, perMinute: number): ExchangeBClient => {
  const within = <A>(asked: Effect.Effect<A, ReadFault>): Effect.Effect<A, ReadFault> =>
    Effect.flatMap(
      elapsedMillis,
      (now): Effect.Effect<A, ReadFault> => budget.take(1, now) ? asked : Effect.fail("over-quota")
    )
  let clock: { readonly at: number; readonly said: unknown } | undefined
  const root: ExchangeBClient["root"] = Effect.fnUntraced(function*(deadline) {
    const now = yield* elapsedMillis
    if (clock !== undefined && now < clock.at + 2 * MINUTE_MS / perMinute) return clock.said
    const said = yield* within(client.root(deadline))
    clock = { at: now, said }
    return said
  })
  return {
    root,
    transaction: (hash, deadline) => within(client.transaction(hash, deadline)),
    logs: (account, deadline) => within(client.logs(account, deadline)),
    assets: (deadline) => within(client.assets(deadline)),
    account: (index, deadline) => within(client.account(index, deadline)),
    nextNonce: (account, apiKey, deadline) => within(client.nextNonce(account, apiKey, deadline)),
    transferFee: (from, to, deadline) => within(client.transferFee(from, to, deadline)),
    transfers: (of, cursor, deadline) => within(client.transfers(of, cursor, deadline)),
    transactions: (of, skipped, deadline) => within(client.transactions(of, skipped, deadline)),
    submit: (transfer, deadline) =>
      Effect.flatMap(elapsedMillis, (now) => {
        budget.charge(1, now)
        return client.submit(transfer, deadline)
      })
  }
}
