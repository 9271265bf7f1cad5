/**
 * What a reindex does with the balances it read (REINDEX-2, REINDEX-1): which are answered, which are swept, which
 * wait.
 *
 * Guarantee: the same balance is never withdrawn twice. A sweep takes a whole balance, so while one is queued no other
 * is; the next has the next number, which a store makes unique; and a balance read before the last sweep says nothing.
 */
import * as Result from "effect/Result"
import { type Currency, usdFloor } from "../../money/Currency.ts"
import { usdFromMicros } from "../../money/Usd.ts"
import type { Usd, UsdPrice } from "../../money/Usd.ts"
import { ReindexRefused } from "./AdmitReindex.ts"

/** What reading a balance gave: its units, or nothing. */
export type Reading =
  /** Smallest units at a block of this height. */
  | { readonly _tag: "Read"; readonly units: bigint; readonly height: bigint }
  | {
    readonly _tag: "Unread"
    /** There is nothing to read, now or later: addresses take none of the currency. */
    readonly untaken?: true
  }

/** The sweeps of one currency of one address on one chain. */
export interface Sweeps {
  readonly queued: "none" | "one"
  readonly completed: number
  /** The height at which the last one was executed. */
  readonly lastHeight: bigint | undefined
}

/** What is known of one currency at an address when it is indexed again. */
export interface CurrencyFacts {
  readonly currency: Currency
  readonly reading: Reading
  readonly sweeps: Sweeps
  /**
   * What sweeping it costs, and its price; undefined when either could not be priced: nobody can say what it is worth,
   * and it waits.
   */
  readonly sweepGas: Usd
  readonly price: UsdPrice | undefined
}

interface Balance {
  readonly currency: Currency
  readonly units: bigint
}

/** What a reindex does: which balances it takes up, which it leaves, which could not be read. */
export interface ReindexPlan {
  /**
   * Every balance above zero that was read after the last sweep of it, whether it is swept now, was queued before or
   * waits.
   */
  readonly triggered: ReadonlyArray<Balance>
  /** What to queue: the `number`th sweep of this currency, counted from zero. */
  readonly queue: ReadonlyArray<Balance & { readonly number: number }>
  /** Not worth twice its gas, as far as anybody can say. */
  readonly waiting: ReadonlyArray<Balance>
  readonly checkedCurrencies: number
  /** Of those checked: read no later than their last sweep, so that nobody can say what lies there since. */
  readonly outdatedCurrencies: number
  readonly failedCurrencies: number
}

/** True when a sweep moves at least twice what it costs. */
export const isWorthSweeping = (units: bigint, { currency, price, sweepGas }: CurrencyFacts): boolean =>
  price !== undefined && usdFloor(units, { currency, price }) >= 2n * sweepGas

/** From this much on nothing is dust, whatever gas costs at the moment. */
const NO_DUST = usdFromMicros(1_000_000n)

/** So little that it is not worth its sweep, nor a dollar: what anybody can leave at any number of addresses. */
export const isDust = (facts: CurrencyFacts): boolean =>
  facts.reading._tag === "Read" && facts.price !== undefined && !isWorthSweeping(facts.reading.units, facts) &&
  usdFloor(facts.reading.units, { currency: facts.currency, price: facts.price }) < NO_DUST

/** The plan, or 503 when no balance could be read. */
export const planReindex = (facts: ReadonlyArray<CurrencyFacts>): Result.Result<ReindexPlan, ReindexRefused> => {
  const read = facts.flatMap((each) =>
    each.reading._tag === "Read" ? [{ facts: each, currency: each.currency, ...each.reading }] : []
  )
  if (read.length === 0) {
    return Result.fail(new ReindexRefused({ status: 503, message: "no balance could be read: try again" }))
  }
  const current = read.filter(({ facts: { sweeps: { lastHeight } }, height }) =>
    lastHeight === undefined || height > lastHeight
  )
  const found = current.filter(({ units }) => units > 0n)
  const idle = found.filter(({ facts }) => facts.sweeps.queued === "none")
  const balance = ({ currency, units }: Balance): Balance => ({ currency, units })
  return Result.succeed({
    triggered: found.map(balance),
    queue: idle.filter(({ facts, units }) => isWorthSweeping(units, facts))
      .map((each) => ({ ...balance(each), number: each.facts.sweeps.completed })),
    waiting: idle.filter(({ facts, units }) => !isWorthSweeping(units, facts)).map(balance),
    checkedCurrencies: read.length,
    outdatedCurrencies: read.length - current.length,
    failedCurrencies: facts.length - read.length
  })
}
