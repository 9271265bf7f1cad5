/**
 * How much gas or energy a payment that runs strangers' code may take of what its price holds (PRICE-26).
 *
 * SECURITY: such code can tell the payment from the trial that priced it, by its amount, its order or its time. Without a
 * bound whoever wrote it would choose what the solver burns, also where the payment succeeds.
 */
import { minOf } from "../../money/Rounding.ts"

/** A quarter more: code of honest contracts takes somewhat more in one state than in another. */
export const holdsUnits = (priced: bigint, taken: bigint): boolean => taken * 4n <= priced * 5n

/**
 * What the price of a fill that swaps holds: with the quarter, twice what it was priced to take. Pools move between a
 * quote and its fill.
 */
export const unitsOfSwap = (priced: bigint): bigint => priced * 8n / 5n

/**
 * The same of a fill that runs calls after its swap, by a trial of both together. Twice is for pools that move, so it is
 * of the swap's own part: who wrote the calls decides what they take.
 */
export const unitsWithSwap = (tried: bigint, swap: bigint): bigint =>
  minOf(unitsOfSwap(tried), tried + unitsOfSwap(swap) - swap)

/**
 * The gas that a payment to an account without code offers (PRICE-26): the same quarter more, so that an ordinary wallet
 * which somebody deploys there before the block can take the payment. Unused gas costs nothing.
 */
export const roomForCode = (priced: bigint): bigint => priced * 5n / 4n
