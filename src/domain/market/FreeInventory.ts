/**
 * Who may take what of a holding (REQUEST-16, PRICE-22).
 *
 * What is promised comes first. What is left is for the fills that wait for inventory, the oldest first: one takes it
 * only when those before it have enough as well, so that none is overtaken for ever; and for new requests, as far as it
 * is not enough for the oldest of them: a large one that waits keeps nobody from being served. One whose time is over
 * takes nothing.
 */

/** A fill that waits; times in milliseconds, the amount in smallest units. */
export interface Waiting {
  readonly orderId: string
  readonly amount: bigint
  /** Its place: when its deposit was made. */
  readonly since: number
  readonly until: number
}

/** What a holding has, what of it is promised, and who waits. */
export interface Holding {
  readonly inventory: bigint
  readonly promised: bigint
  readonly waiting: ReadonlyArray<Waiting>
}

const isBefore = (one: Waiting, other: Waiting): boolean =>
  one.since !== other.since ? one.since < other.since : one.orderId < other.orderId

/** Those whose time is not over, the oldest first. */
const inLine = (waiting: ReadonlyArray<Waiting>, now: number): ReadonlyArray<Waiting> =>
  waiting.filter(({ until }) => now <= until).toSorted((one, other) => isBefore(one, other) ? -1 : 1)

/** True when it is this fill's turn: all that wait before it could be paid as well. */
export const isTurn = ({ inventory, promised, waiting }: Holding, own: Waiting, now: number): boolean => {
  const before = inLine(waiting, now).filter((other) => isBefore(other, own))
  return promised + before.reduce((sum, { amount }) => sum + amount, 0n) + own.amount <= inventory
}

/** What new requests may count on, not below zero: what has come for the oldest that wait is theirs. */
export const freeForNew = ({ inventory, promised, waiting }: Holding, now: number): bigint => {
  let free = inventory - promised
  for (const { amount } of inLine(waiting, now)) {
    if (amount > free) break
    free -= amount
  }
  return free > 0n ? free : 0n
}

/** True when a request that is ready to wait will have to: it comes behind all that wait already. */
export const willWait = ({ inventory, promised, waiting }: Holding, amount: bigint, now: number): boolean =>
  promised + inLine(waiting, now).reduce((sum, each) => sum + each.amount, 0n) + amount > inventory
