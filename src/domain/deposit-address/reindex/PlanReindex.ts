/**
 * What a reindex does with the balances that it read (REINDEX-2, REINDEX-1): which are reported, which are swept, which
 * wait.
 *
 * Guarantee: the same balance is never withdrawn twice. A sweep takes a whole balance, so no second one is queued while
 * one is queued. Each sweep has the next number, which the store keeps unique. A balance read before the last sweep is
 * ignored. So is one of final blocks, after the last sweep's block, while that sweep is not final: those blocks do not
 * have it, and what they show is its money (ADDRESS-19).
 */
import * as Result from "effect/Result"
import { type Currency, usdFloor } from "../../money/Currency.ts"
import { usdFromMicros } from "../../money/Usd.ts"
import type { Usd, UsdPrice } from "../../money/Usd.ts"
import { ReindexRefused } from "./AdmitReindex.ts"

/** The result of reading a balance. */
export type Reading =
  /** Smallest units, read at a block of this height. */
  | {
    readonly _tag: "Read"
    readonly units: bigint
    readonly height: bigint
    /** That block is final. */
    readonly isFinal?: true
  }
  | {
    readonly _tag: "Unread"
    /** Nothing to read, now or later: addresses do not accept this currency. */
    readonly untaken?: true
  }

/** The sweeps of one currency of one address on one chain. */
export interface Sweeps {
  readonly queued: "none" | "one"
  /** Sweeps that are done and not known to be final. */
  readonly unfinal: "none" | "some"
  readonly completed: number
  /** The height at which the last sweep was executed. */
  readonly lastHeight: bigint | undefined
}

/** The facts about one currency of an address that is reindexed. */
export interface CurrencyFacts {
  readonly currency: Currency
  readonly reading: Reading
  readonly sweeps: Sweeps
  /** The cost of a sweep, and the currency's price. Without a price the balance cannot be valued, and waits. */
  readonly sweepGas: Usd
  readonly price: UsdPrice | undefined
}

interface Balance {
  readonly currency: Currency
  readonly units: bigint
}

/** The result of a reindex: which balances are handled, which wait, which could not be read. */
export interface ReindexPlan {
  /**
   * Every balance above zero that was read after its last sweep, whether it is swept now, was queued before or waits.
   */
  readonly triggered: ReadonlyArray<Balance>
  /** The sweeps to queue: the `number`th of this currency, counted from zero. */
  readonly queue: ReadonlyArray<Balance & { readonly number: number }>
  /** Not worth twice the sweep's gas, or its value is unknown. */
  readonly waiting: ReadonlyArray<Balance>
  /** Checked currencies with a sweep that was queued before, also when its money shows no more (REINDEX-6). */
  readonly begunCurrencies: number
  readonly checkedCurrencies: number
  /** Checked balances that may be those before their last sweep, so the current balance is unknown. */
  readonly outdatedCurrencies: number
  readonly failedCurrencies: number
}

/** True when the balance is worth at least twice the cost of its sweep. */
export const isWorthSweeping = (units: bigint, { currency, price, sweepGas }: CurrencyFacts): boolean =>
  price !== undefined && usdFloor(units, { currency, price }) >= 2n * sweepGas

/** From this amount on a balance is never dust, whatever gas costs at the moment. */
const NO_DUST = usdFromMicros(1_000_000n)

/** Less than a dollar and not worth its sweep: amounts that anybody can leave at any number of addresses. */
export const isDust = (facts: CurrencyFacts): boolean =>
  facts.reading._tag === "Read" && facts.price !== undefined && !isWorthSweeping(facts.reading.units, facts) &&
  usdFloor(facts.reading.units, { currency: facts.currency, price: facts.price }) < NO_DUST

/**
 * Whether a balance shows what is there after its last sweep. Where readings are of final blocks, a reorg that drops the
 * sweep makes its money show again at a later height, until the sweep is sent again.
 */
const isCurrent = (
  { height, isFinal }: Extract<Reading, { readonly _tag: "Read" }>,
  { lastHeight, unfinal }: Sweeps
): boolean => lastHeight === undefined || (height > lastHeight && !(isFinal === true && unfinal === "some"))

/** The plan, or 503 when no balance could be read. */
export const planReindex = (facts: ReadonlyArray<CurrencyFacts>): Result.Result<ReindexPlan, ReindexRefused> => {
  const read = facts.flatMap((each) =>
    each.reading._tag === "Read" ? [{ facts: each, currency: each.currency, ...each.reading }] : []
  )
  if (read.length === 0) {
    return Result.fail(new ReindexRefused({ status: 503, message: "no balance could be read: try again" }))
  }
  const current = read.filter((each) => isCurrent(each, each.facts.sweeps))
  const found = current.filter(({ units }) => units > 0n)
  const idle = found.filter(({ facts }) => facts.sweeps.queued === "none")
  const balance = ({ currency, units }: Balance): Balance => ({ currency, units })
  return Result.succeed({
    triggered: found.map(balance),
    queue: idle.filter(({ facts, units }) => isWorthSweeping(units, facts))
      .map((each) => ({ ...balance(each), number: each.facts.sweeps.completed })),
    waiting: idle.filter(({ facts, units }) => !isWorthSweeping(units, facts)).map(balance),
    begunCurrencies: read.filter(({ facts: { sweeps } }) => sweeps.queued === "one").length,
    checkedCurrencies: read.length,
    outdatedCurrencies: read.length - current.length,
    failedCurrencies: facts.length - read.length
  })
}
