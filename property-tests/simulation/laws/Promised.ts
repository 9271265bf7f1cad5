/**
 * What a quote promises, and for how long: the most that a deposit of the quoted amount, or of less, may deliver. A
 * deposit that is priced again is priced as of then, and so may deliver more than was promised.
 */
import { JUMP_BPS } from "../faults/Prices.ts"
import type { Fault, Faults } from "../Faults.ts"
import { CLOCK_MS } from "../Processes.ts"
import { dollars, halfMicros } from "../Terms.ts"
import type { Asked } from "../Users.ts"

/**
 * What a change of prices can be worth, in a run in which prices changed: a quote's price holds while the market moves,
 * from one end of its range to the other, and a refund's never does.
 */
export const movedWith = (amount: bigint, { counts }: Pick<Faults, "counts">): bigint =>
  counts.has("price-jumps") ? amount * 2n * JUMP_BPS / (10_000n - JUMP_BPS) : 0n

/**
 * What a quoted amount can grow by when it is priced again. Of two native coins each has a price of its own, which is
 * read at its own time: one can be at the low end and the other at the high end at the quote, and the other way round
 * afterwards. That takes two jumps: after one, each of the four prices is one of two.
 */
const repricedBy = (
  amount: bigint,
  { currencyIn, currencyOut }: Pick<Asked, "currencyIn" | "currencyOut">,
  faults: Pick<Faults, "counts">
): bigint => {
  const once = movedWith(amount, faults)
  const bothMove = currencyIn !== currencyOut && !dollars.has(currencyIn) && !dollars.has(currencyOut)
  return bothMove && (faults.counts.get("price-jumps") ?? 0) > 1 ? once + movedWith(amount + once, faults) : once
}

/**
 * Within this time of its quote, a deposit is filled at the quoted price. Milliseconds. The service counts them from what
 * its own clock showed.
 */
const FIXED_FOR_MS = 30_000
export const fixedFor = ({ counts }: Pick<Faults, "counts">): number =>
  counts.has("process-clock-apart") ? FIXED_FOR_MS - CLOCK_MS : FIXED_FOR_MS

/** After these, gas can cost less than when it was quoted. A node of another chain names that chain's costs. */
const costsFell: ReadonlyArray<Fault> = ["fee-spike", "energy-rises", "node-dear", "explorer-dear", "node-wrong-chain"]

/** All of the quoted gas, in the delivered currency: no price takes off more. On Tron an account is new only once. */
const savedGas = (
  { currencyIn, currencyOut, destination, gas }: Asked,
  { counts }: Pick<Faults, "counts">
): bigint => {
  const units = halfMicros(currencyOut)
  return destination === "tron" || costsFell.some((fault) => counts.has(fault))
    ? (gas * halfMicros(currencyIn) + units - 1n) / units
    : 0n
}

/**
 * The most that the only deposit of an order delivers while the quote's price holds. It is priced again when its amount
 * is not the quoted one, and when its sponsor's money is gone. Smallest units of the delivered currency.
 */
export const mostDelivered = (asked: Asked, deposited: bigint, faults: Pick<Faults, "counts">): bigint =>
  asked.isSponsored || deposited !== asked.amountIn
    ? asked.amountOut + repricedBy(asked.amountOut, asked, faults) + savedGas(asked, faults)
    : asked.amountOut
