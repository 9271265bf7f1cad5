/**
 * How each order of a run was answered, as its chains show it: what the solver paid for it, and to whom. It does not
 * say when, nor how requests were numbered, so that it is the same on both floors (`model/Floors.sim.test.ts`).
 */
import type { SimulatedChain } from "./Chain.ts"
import { slugs, solver, users } from "./Terms.ts"
import type { Slug } from "./Terms.ts"
import type { Asked } from "./Users.ts"

const userOf = (account: string): string => {
  const user = users.findIndex((each) => each === account)
  return user < 0 ? account : `user ${user}`
}

/** One line an order, sorted. */
export const answersOf = (
  chains: Readonly<Record<Slug, SimulatedChain>>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const paid = slugs.flatMap((slug) =>
    chains[slug].state().blocks.flatMap(({ block: { entries } }) =>
      entries.flatMap(({ signed: { transfer }, succeeded }) =>
        succeeded && transfer.sender === solver ? [{ slug, ...transfer }] : []
      )
    )
  )
  return asked.map(({ amountIn, currencyIn, currencyOut, destination, manner, orderId, origin, user }) => {
    const payments = paid.filter(({ memo }) => memo === orderId).map(({ amount, currency, recipient, slug }) =>
      `${slug === destination ? "filled" : "refunded"} ${amount} of ${currency} to ${userOf(recipient)}`
    )
    return `user ${user} ${manner} ${amountIn} of ${currencyIn} on ${origin} for ${currencyOut}: ${
      payments.toSorted().join(", ") || "nothing"
    }`
  }).toSorted()
}
