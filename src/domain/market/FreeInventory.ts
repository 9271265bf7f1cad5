/**
 * Who may use the inventory of a holding (REQUEST-16, PRICE-22).
 *
 * Reservations come first. The rest is for fills that wait for inventory, oldest first: a fill takes inventory only
 * when there is also enough for all before it, so no fill is overtaken forever. New requests may use what is not enough
 * for the oldest waiting fill, so a large waiting fill does not block small requests. Fills past their time take
 * nothing.
 *
 * A holding may be several accounts. A payment is taken from one of them as a whole, and which one is only known when it
 * is signed. So an amount is free only if one account can pay it however the claims are spread over the accounts, and if
 * it cannot take from the largest claim the last account that could pay that one.
 */

/** A waiting fill. Times in milliseconds, the amount in smallest units. */
export interface Waiting {
  readonly orderId: string
  readonly amount: bigint
  /** Its place in the queue: the time of its deposit. */
  readonly since: number
  readonly until: number
}

/** The inventory of a holding, what of it is reserved, and the waiting fills. Smallest units. */
export interface Holding {
  /** What each of its accounts has. */
  readonly inventory: ReadonlyArray<bigint>
  /** The sum of the reservations. */
  readonly promised: bigint
  /** The largest of the reservations; zero when there is none. */
  readonly largestPromise: bigint
  readonly waiting: ReadonlyArray<Waiting>
}

const isBefore = (one: Waiting, other: Waiting): boolean =>
  one.since !== other.since ? one.since < other.since : one.orderId < other.orderId

/** The fills that are still in time, oldest first. */
const inLine = (waiting: ReadonlyArray<Waiting>, now: number): ReadonlyArray<Waiting> =>
  waiting.filter(({ until }) => now <= until).toSorted((one, other) => isBefore(one, other) ? -1 : 1)

/** Amounts that go first, each taken from one account. */
interface Claims {
  readonly total: bigint
  readonly largest: bigint
}

const promisedIn = ({ largestPromise, promised }: Holding): Claims => ({ total: promised, largest: largestPromise })

const claimingToo = ({ largest, total }: Claims, { amount }: Pick<Waiting, "amount">): Claims => ({
  total: total + amount,
  largest: amount > largest ? amount : largest
})

/** What one account still has for certain when `taken` is gone, whichever accounts it was taken from. */
const leftInOne = (inventory: ReadonlyArray<bigint>, taken: bigint): bigint => {
  let [left, sum, count] = [0n, -taken, 0n]
  for (const amount of inventory.toSorted((one, other) => one < other ? 1 : -1)) {
    sum += amount
    count += 1n
    // The largest accounts together have this, so one of them has at least their average.
    if (sum / count > left) left = sum / count
  }
  return left
}

/** The most that one payment can take so that it and all claims can be paid, in any order, from whichever accounts. */
const freeBeside = (inventory: ReadonlyArray<bigint>, { largest, total }: Claims): bigint => {
  const left = leftInOne(inventory, total)
  if (left >= largest) return left
  // Less than the largest claim. All accounts that could pay that one may be used for others down to its amount.
  const spare = inventory.reduce((sum, each) => each > largest ? sum + each - largest : sum, largest - total)
  return spare > 0n ? spare : 0n
}

/** True when it is this fill's turn: there is enough inventory for it and for all before it. */
export const isTurn = (holding: Holding, own: Waiting, now: number): boolean => {
  const before = inLine(holding.waiting, now).filter((other) => isBefore(other, own))
  return own.amount <= freeBeside(holding.inventory, before.reduce(claimingToo, promisedIn(holding)))
}

/** The most that a new request may use. Inventory that suffices for the oldest waiting fills is theirs. */
export const freeForNew = (holding: Holding, now: number): bigint => {
  let claims = promisedIn(holding)
  for (const next of inLine(holding.waiting, now)) {
    if (next.amount > freeBeside(holding.inventory, claims)) break
    claims = claimingToo(claims, next)
  }
  return freeBeside(holding.inventory, claims)
}

/** True when a request that accepts waiting will have to wait, behind all that are waiting now. */
export const willWait = (holding: Holding, amount: bigint, now: number): boolean =>
  amount > freeBeside(holding.inventory, inLine(holding.waiting, now).reduce(claimingToo, promisedIn(holding)))
