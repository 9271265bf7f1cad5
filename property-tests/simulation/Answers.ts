/**
 * How each order of a run was answered, as its chains show it: what the solver paid for it, and to whom. It does not
 * say when, nor how requests were numbered, so that it is the same on both floors (`model/Floors.sim.test.ts`).
 */
import type { ChainView } from "./ChainView.ts"
import { USERS } from "./Terms.ts"
import type { Asked } from "./Users.ts"

const userOf = (views: ReadonlyArray<ChainView>, account: string): string => {
  const users = views.map(({ parties }) => parties.accounts.indexOf(account))
  const user = users.find((each) => each >= 0 && each < USERS)
  return user === undefined ? account : `user ${user}`
}

/** One line an order, sorted. */
export const answersOf = (
  views: ReadonlyArray<ChainView>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const moved = views.flatMap(({ parties, shown }) =>
    shown().filter(({ succeeded }) => succeeded).map((each) => ({ ...each, isPaid: each.sender === parties.solver }))
  )
  const paid = moved.filter(({ isPaid }) => isPaid)
  return asked.map(({ address, amountIn, currencyIn, currencyOut, destination, manner, orderId, origin, user }) => {
    // Later deposits at an address have orders of their own.
    const orders = new Set([orderId, ...moved.filter(({ sender }) => sender === address).map(({ memo }) => memo)])
    const payments = paid.filter(({ memo }) => orders.has(memo)).map(({ amount, currency, recipient, slug }) =>
      `${slug === destination ? "filled" : "refunded"} ${amount} of ${currency} to ${userOf(views, recipient)}`
    )
    return `user ${user} ${manner} ${amountIn} of ${currencyIn} on ${origin} for ${currencyOut}: ${
      payments.toSorted().join(", ") || "nothing"
    }`
  }).toSorted()
}
