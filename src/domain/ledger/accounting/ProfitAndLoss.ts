/**
 * Profit and loss by UTC day and chain, from the bookings: income, payments, and their cost.
 *
 * Amounts stay in their currency. Dollar values are those at the time when the deposit was paid, and a missing price
 * stays missing. Sums are exact: the days of a span add up to the span, whatever the order of the bookings.
 */
import { dateOf, utcDay } from "../../calendar/Day.ts"
import type { ChainId } from "../../chain/ChainId.ts"
import { Usd } from "../../money/Usd.ts"

/**
 * The kinds of bookings: deposits received, payments made, gas, app fees owed to their recipients, sponsors' fees
 * earned.
 */
export const bookingKinds = ["received", "paidOut", "gas", "appFees", "sponsorRevenue"] as const
/** Which side of the accounts a booking is on. */
export type BookingKind = (typeof bookingKinds)[number]

/** One amount of money that moved, when it moved, with its price then. */
export interface Booking {
  /** Milliseconds. */
  readonly at: number
  readonly chainId: ChainId
  /** The currency's address, as in the answer. */
  readonly currency: string
  readonly kind: BookingKind
  /** Smallest units of the currency, not below zero. */
  readonly units: bigint
  /** Undefined when no price was stored. */
  readonly usd: Usd | undefined
}

/** A total of bookings in one currency. */
export interface Sum {
  /** Smallest units of the currency. */
  readonly units: bigint
  /** Of the bookings with a price. */
  readonly usd: Usd
  /** The number of bookings without a price. */
  readonly unpriced: number
}

/** One currency of one chain on one day, or over a whole span. */
export interface AccountLine extends Readonly<Record<BookingKind, Sum>> {
  readonly chainId: ChainId
  readonly currency: string
}

/** Profit and loss of one UTC day. */
export interface DayOfAccounts {
  /** `2026-11-21`, UTC. */
  readonly day: string
  /** Income and sponsors' payments, less payments, gas and app fees. Only bookings with a price count. */
  readonly profit: Usd
  readonly lines: ReadonlyArray<AccountLine>
}

const nothing: Sum = { units: 0n, usd: Usd(0n), unpriced: 0 }

const plus = (sum: Sum, { units, usd }: Booking): Sum => ({
  units: sum.units + units,
  usd: Usd(sum.usd + (usd ?? 0n)),
  unpriced: sum.unpriced + (usd === undefined ? 1 : 0)
})

const sumOf = (bookings: ReadonlyArray<Booking>, kind: BookingKind): Sum =>
  bookings.filter((booking) => booking.kind === kind).reduce(plus, nothing)

const lineOf = (
  bookings: ReadonlyArray<Booking>,
  { chainId, currency }: Pick<Booking, "chainId" | "currency">
): AccountLine => ({
  chainId,
  currency,
  received: sumOf(bookings, "received"),
  paidOut: sumOf(bookings, "paidOut"),
  gas: sumOf(bookings, "gas"),
  appFees: sumOf(bookings, "appFees"),
  sponsorRevenue: sumOf(bookings, "sponsorRevenue")
})

/** One line for each chain and currency with bookings, sorted by chain and currency. */
export const accountLines = (bookings: ReadonlyArray<Booking>): ReadonlyArray<AccountLine> =>
  [...Map.groupBy(bookings, ({ chainId, currency }) => `${chainId}:${currency}`).values()]
    .flatMap((group) => group[0] === undefined ? [] : [lineOf(group, group[0])])
    .toSorted((one, other) => one.chainId - other.chainId || (one.currency < other.currency ? -1 : 1))

/** Profit in dollars, as far as prices are known. */
export const profitOf = (lines: ReadonlyArray<AccountLine>): Usd =>
  Usd(
    lines.reduce((sum, { appFees, gas, paidOut, received, sponsorRevenue }) =>
      sum + received.usd + sponsorRevenue.usd - paidOut.usd - gas.usd - appFees.usd, 0n)
  )

/** By day, the first day first. Days without bookings are left out. */
export const accountsByDay = (bookings: ReadonlyArray<Booking>): ReadonlyArray<DayOfAccounts> =>
  [...Map.groupBy(bookings, ({ at }) => utcDay(at))].map(([day, group]) => {
    const lines = accountLines(group)
    return { day: dateOf(day), profit: profitOf(lines), lines }
  }).toSorted((one, other) => (one.day < other.day ? -1 : 1))
