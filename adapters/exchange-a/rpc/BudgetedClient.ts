/**
 * A client that asks its endpoint no more than a budget of weights allows (EXCHANGEA-11). A read beyond it fails as
 * `over-quota` without a request. A signed action is always submitted: it weighs 1, and a payment is not held up by
 * reads.
 */
import { Effect } from "effect"
import { AskedFor } from "../../endpoints/AskedFor.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { ExchangeAClient, InfoQuestion } from "./ExchangeAClient.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import type { RequestBudget } from "./RequestBudget.ts"

/** As the exchange documents them (rate limits). Everything else weighs 20. */
const weights: Readonly<Partial<Record<InfoQuestion["type"], number>>> = {
  exchangeStatus: 2,
  clearinghouseState: 2,
  spotClearinghouseState: 2,
  userRole: 60
}
const USUAL = 20
const EXPLORER = 40
const ACTION = 1

/** A ledger weighs one more for each 20 entries of its answer. */
const ENTRIES = 20

export const budgeted = (client: ExchangeAClient, budget: RequestBudget): ExchangeAClient => {
  const charge = (weight: number) =>
    Effect.map(elapsedMillis, (now) => {
      budget.charge(weight, now)
    })
  const within = Effect.fnUntraced(
    function*<A>(weight: number, asked: Effect.Effect<A, ReadFault>): Effect.fn.Return<A, ReadFault> {
      if (!budget.take(weight, yield* AskedFor, yield* elapsedMillis)) return yield* Effect.fail("over-quota" as const)
      return yield* asked
    }
  )
  return {
    info: (question, deadline) =>
      within(weights[question.type] ?? USUAL, client.info(question, deadline)).pipe(
        Effect.tap((said) =>
          question.type === "userNonFundingLedgerUpdates" && Array.isArray(said)
            ? charge(Math.ceil(said.length / ENTRIES))
            : Effect.void
        )
      ),
    transaction: (hash, deadline) => within(EXPLORER, client.transaction(hash, deadline)),
    account: (user, deadline) => within(EXPLORER, client.account(user, deadline)),
    block: (height, deadline) => within(EXPLORER, client.block(height, deadline)),
    submit: (signed, deadline) => Effect.andThen(charge(ACTION), client.submit(signed, deadline))
  }
}
