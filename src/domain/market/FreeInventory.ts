/**
 * Who may use the inventory of a holding (REQUEST-16, PRICE-22).
 *
 * Reservations come first. The rest is for fills that wait for inventory, oldest first: a fill takes inventory only
 * when there is also enough for all before it, so no fill is overtaken forever. New requests may use what is not enough
 * for the oldest waiting fill, so a large waiting fill does not block small requests. Fills past their time take
 * nothing.
 */

/** A waiting fill. Times in milliseconds, the amount in smallest units. */
export interface Waiting {
  readonly orderId: string
  readonly amount: bigint
  /** Its place in the queue: the time of its deposit. */
  readonly since: number
  readonly until: number
}

/** The inventory of a holding, what of it is reserved, and the waiting fills. */
export interface Holding {
  readonly inventory: bigint
  readonly promised: bigint
  readonly waiting: ReadonlyArray<Waiting>
}

const isBefore = (one: Waiting, other: Waiting): boolean =>
  one.since !== other.since ? one.since < other.since : one.orderId < other.orderId

/** The fills that are still in time, oldest first. */
const inLine = (waiting: ReadonlyArray<Waiting>, now: number): ReadonlyArray<Waiting> =>
  waiting.filter(({ until }) => now <= until).toSorted((one, other) => isBefore(one, other) ? -1 : 1)

/** True when it is this fill's turn: there is enough inventory for it and for all before it. */
export const isTurn = ({ inventory, promised, waiting }: Holding, own: Waiting, now: number): boolean => {
  const before = inLine(waiting, now).filter((other) => isBefore(other, own))
  return promised + before.reduce((sum, { amount }) => sum + amount, 0n) + own.amount <= inventory
}

/** What new requests may use, not below zero. Inventory that suffices for the oldest waiting fills is theirs. */
export const freeForNew = ({ inventory, promised, waiting }: Holding, now: number): bigint => {
  let free = inventory - promised
  for (const { amount } of inLine(waiting, now)) {
    if (amount > free) break
    free -= amount
  }
  return free > 0n ? free : 0n
}

/** True when a request that accepts waiting will have to wait, behind all that are waiting now. */
export const willWait = ({ inventory, promised, waiting }: Holding, amount: bigint, now: number): boolean =>
  promised + inLine(waiting, now).reduce((sum, each) => sum + each.amount, 0n) + amount > inventory
