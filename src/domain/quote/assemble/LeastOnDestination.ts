/**
 * The minimum of an order's refund on its destination (REFUND-15), as the service quotes it and as a client checks it.
 *
 * SECURITY: oracles attest a refund of this minimum, and the hub then gives the whole deposit to the solver. So it is
 * never below a known part of the least that the quote pays, also where fees are most of the amount.
 */
import { divFloor, maxOf } from "../../money/Rounding.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"

/** The amounts of an order that decide it, smallest units. */
export interface DestinationAmounts {
  readonly amountIn: bigint
  /**
   * The input that the output is quoted for, when a swap before the deposit may give less; `amountIn` is then the
   * minimum.
   */
  readonly expectedIn?: bigint | undefined
  readonly amountOut: bigint
  readonly minimumOut: bigint
  /** The bound for a refund's gas, of the destination currency. */
  readonly destinationRefundGas: bigint
  /** The fees that reduce the output, of the destination currency, rounded up. */
  readonly fees: bigint
}

type Addressed = Pick<ResolvedRequest, "depositAddress">

/**
 * An open deposit address takes parts of the quoted amount: up to this many parts can still bear their fees and settle.
 */
const PARTS = 10n

const isOpen = ({ depositAddress }: Addressed): boolean => depositAddress?.mode === "open"

const inProportion = (whole: bigint, amountIn: bigint, expectedIn: bigint): bigint =>
  maxOf(1n, expectedIn > amountIn ? divFloor(whole * amountIn, expectedIn) : whole)

/** Nine tenths of what the quote pays at least; half of it at an open address, which leaves room for the fees of parts. */
const wholeFloor = (request: Addressed, minimumOut: bigint): bigint =>
  isOpen(request) ? divFloor(minimumOut, 2n) : divFloor(minimumOut * 9n, 10n)

/** What no honest quote goes below, of the currency that the order pays. */
export const floorOnDestination = (
  request: Addressed,
  { amountIn, expectedIn = amountIn, minimumOut }: Pick<DestinationAmounts, "amountIn" | "expectedIn" | "minimumOut">
): bigint => inProportion(wholeFloor(request, minimumOut), amountIn, expectedIn)

/**
 * The minimum that a refund on the destination must deliver for the whole quoted amount. It falls in proportion to the
 * deposit, but fees do not. So at an open address it leaves room for fees, and a fill of a part settles as this refund
 * (ADDRESS-8). It rises in the same proportion above the minimum deposit, and equals at most the output at the expected
 * deposit.
 */
export const leastOnDestination = (
  request: Addressed,
  { amountIn, amountOut, destinationRefundGas, expectedIn = amountIn, fees, minimumOut }: DestinationAmounts
): bigint => {
  const room = (isOpen(request) ? minimumOut - (PARTS - 1n) * fees : amountOut) - destinationRefundGas
  return inProportion(maxOf(wholeFloor(request, minimumOut), room), amountIn, expectedIn)
}
