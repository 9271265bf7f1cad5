/** All metrics of the transfer service: `GET /metrics` shows each as `causeway_<name>`. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { formatDecimal } from "../../domain/money/Decimal.ts"
import { alarms } from "./Alarms.ts"
import type { Alarm } from "./Alarms.ts"
import type { FillingOutcome } from "../filling/FillingWorkflow.ts"
import { steps, stepsOfChains } from "../quoting/Steps.ts"
import type { Step } from "../quoting/Steps.ts"

const quotes = Metric.counter("quotes_total", {
  description: "quotes by outcome: quoted, or the error code",
  incremental: true
})
const fillings = Metric.counter("deposits_total", { description: "deposits by outcome", incremental: true })
const deposits = Metric.counter("deposits_seen_total", { description: "deposits seen, by chain", incremental: true })
const credits = Metric.counter("app_balance_credits_total", {
  description: "transfers meant to credit an app balance, by outcome",
  incremental: true
})
const retries = Metric.counter("retries_total", {
  description: "retries of steps, by step",
  incremental: true
})
const defects = Metric.counter("step_defects_total", {
  description: "steps that failed with a defect and wait, by step: an operator must act",
  incremental: true
})
const refusedPrices = Metric.counter("price_refusals_total", {
  description: "prices that were not used, by symbol and reason",
  incremental: true
})
const forgotten = Metric.counter("forgotten_total", {
  description: "records that retention deleted, by kind",
  incremental: true
})
const stuck = Metric.counter("alarms_total", {
  description: "conditions that need an operator, by kind",
  incremental: true
})
const unattested = Metric.counter("unattested_refunds_usd_total", {
  description:
    "US dollars of refunds without an oracle's signature, which the solver loses, by chain; capped by UNATTESTED_REFUNDS_USD; as the store has it, the same on every worker",
  incremental: true
})
const revertedPermits = Metric.counter("reverted_permits_usd_total", {
  description: "US dollars of gas of permits that reverted on the chain, by chain; capped by REVERTED_PERMITS_USD",
  incremental: true
})
const revertedCalls = Metric.counter("reverted_calls_usd_total", {
  description:
    "US dollars of gas of fills whose txs or recipient's code reverted beyond what their deposits covered, which the solver loses, by chain; capped by REVERTED_CALLS_USD",
  incremental: true
})
const replacements = Metric.counter("replacements_total", {
  description: "payments that were replaced at a higher fee, by chain",
  incremental: true
})
const height = Metric.gauge("chain_scanned_height", {
  description: "the last block that was scanned, by chain",
  bigint: true
})

const halted = Metric.gauge("chain_halted", {
  description: "1 while a chain is halted because a final block of it was replaced: an operator must act"
})
const overdue = Metric.gauge("overdue_requests", {
  description: "requests that are overdue in their state, by state: an operator must act"
})

const head = Metric.gauge("chain_head_height", {
  description: "the newest block that was seen, by chain",
  bigint: true
})
const lag = Metric.gauge("chain_lag_blocks", {
  description: "blocks between the newest that was seen and the last that was scanned, by chain",
  bigint: true
})
const headAge = Metric.gauge("chain_head_age_seconds", {
  description:
    "seconds since the newest block's own time, by chain: it grows while a chain stands still or does not answer"
})
const transfers = Metric.gauge("transfers", {
  description: "requests that have a deposit and have not ended, by state; the same on every worker"
})
const backlog = Metric.gauge("workflow_backlog", {
  description: "durable workflows that have begun and not ended; the same on every worker"
})
const inventory = Metric.gauge("inventory", {
  description:
    "what the solver holds, in whole units of the currency, by chain, currency and holding (account or vault); read every 15 seconds"
})
const webhooks = Metric.counter("webhooks_total", {
  description: "attempts to deliver to webhooks, by outcome: delivered, tried, failed for good",
  incremental: true
})
const low = Metric.gauge("inventory_low", {
  description: "1 while a holding is below its low-water mark, by chain, currency and holding"
})

const settlements = Metric.gauge("settlements", {
  description:
    "deposits that were filled or refunded and are not settled on the hub, by state: open, submitted, refused; the same on every worker"
})
const settlementAge = Metric.gauge("settlement_age_seconds", {
  description: "seconds since the oldest of them was opened for settling, by state; 0 without any"
})
const settled = Metric.counter("settlements_total", {
  description: "settlements of deposits by outcome: settled, refused, excluded",
  incremental: true
})
const submissions = Metric.counter("submissions_total", {
  description:
    "transactions to the hub that have ended, by outcome: final, or unsigned because the hub would have refused it",
  incremental: true
})
const oracleAnswers = Metric.counter("oracle_answers_total", {
  description: "answers of oracles to requests for signatures, by oracle and outcome",
  incremental: true
})

/** Made once for each outcome: merging attributes costs more than counting. */
const quotesBy = new Map<string, Metric.Metric<number, Metric.CounterState<number>>>()
export const countQuote = (outcome: string) => {
  const counter = quotesBy.get(outcome) ?? Metric.withAttributes(quotes, { outcome })
  quotesBy.set(outcome, counter)
  return Metric.update(counter, 1)
}
export const countFilling = (outcome: FillingOutcome) => countFillings(outcome, 1)
export const countFillings = (outcome: FillingOutcome, count: number) =>
  Metric.update(Metric.withAttributes(fillings, { outcome }), count)
export const countDeposits = (chain: string, count: number) =>
  Metric.update(Metric.withAttributes(deposits, { chain }), count)
export const countCredits = (outcome: "credited" | "not-credited", count: number) =>
  Metric.update(Metric.withAttributes(credits, { outcome }), count)
export const countRetry = (step: string) => Metric.update(Metric.withAttributes(retries, { step }), 1)
export const countDefect = (step: Step) => Metric.update(Metric.withAttributes(defects, { step }), 1)
export const countPriceRefusal = (symbol: string, reason: string) =>
  Metric.update(Metric.withAttributes(refusedPrices, { symbol, reason }), 1)
export const countReplacement = (chain: string) => Metric.update(Metric.withAttributes(replacements, { chain }), 1)
export const countStuck = (what: Alarm) => Metric.update(Metric.withAttributes(stuck, { what }), 1)
/**
 * Exports every counter of alarms, defects and losses from 0 at start: a rule that looks for an increase would
 * otherwise miss the first one.
 */
export const countFromZero = (chains: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach([
    ...alarms.map((what) => Metric.withAttributes(stuck, { what })),
    ...steps.map((step) => Metric.withAttributes(defects, { step })),
    ...chains.flatMap((chain) => [
      ...stepsOfChains.map((step) => Metric.withAttributes(defects, { step: `${step} ${chain}` })),
      Metric.withAttributes(unattested, { chain }),
      Metric.withAttributes(revertedPermits, { chain }),
      Metric.withAttributes(revertedCalls, { chain })
    ])
  ], (counter) =>
    Metric.update(counter, 0), { discard: true })
/**
 * `usdMicros` of all times, from the store. The counter is a floating point number, for display and not for decisions.
 */
export const noteUnattested = Effect.fnUntraced(function*(chain: string, usdMicros: bigint) {
  const counter = Metric.withAttributes(unattested, { chain })
  const { count } = yield* Metric.value(counter)
  yield* Metric.update(counter, Math.max(0, Number(usdMicros) / 1_000_000 - count))
})
/** `usdMicros` as above. */
export const countRevertedPermit = (chain: string, usdMicros: bigint) =>
  Metric.update(Metric.withAttributes(revertedPermits, { chain }), Number(usdMicros) / 1_000_000)
/** `usdMicros` as above. */
export const countRevertedCalls = (chain: string, usdMicros: bigint) =>
  Metric.update(Metric.withAttributes(revertedCalls, { chain }), Number(usdMicros) / 1_000_000)
/** Kinds of deleted records. */
export type Forgotten = "quotes" | "addresses" | "work" | "spending"

export const countForgotten = (what: Forgotten, count: number) =>
  Metric.update(Metric.withAttributes(forgotten, { what }), count)
export const noteOverdue = (status: string, count: number) =>
  Metric.update(Metric.withAttributes(overdue, { status }), count)
export const noteHalted = (chain: string, is: boolean) =>
  Metric.update(Metric.withAttributes(halted, { chain }), is ? 1 : 0)
export const noteLow = (
  { chain, currency, holding }: { readonly chain: string; readonly currency: string; readonly holding: string },
  isLow: boolean
) => Metric.update(Metric.withAttributes(low, { chain, currency, holding }), isLow ? 1 : 0)
export const noteHeight = (chain: string, blocks: bigint): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(height, { chain }), blocks)
/** `scanned` may be ahead of a stale endpoint's head: that is no lag. */
export const noteHead = (chain: string, blocks: bigint, scanned: bigint): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(head, { chain }), blocks),
    Metric.update(Metric.withAttributes(lag, { chain }), blocks > scanned ? blocks - scanned : 0n)
  )
export const noteHeadAge = (chain: string, seconds: number) =>
  Metric.update(Metric.withAttributes(headAge, { chain }), seconds)
export const noteTransfers = (status: string, count: number) =>
  Metric.update(Metric.withAttributes(transfers, { status }), count)
export const noteBacklog = (count: number) => Metric.update(backlog, count)

interface Held {
  readonly chain: { readonly slug: string }
  readonly currency: { readonly symbol: string; readonly address: string; readonly decimals: number }
  readonly holding: string
  readonly amount: bigint
}

/** The gauge is a floating point number, for display and not for decisions. */
export const noteInventory = ({ amount, chain, currency: { address, decimals, symbol }, holding }: Held) =>
  Metric.update(
    Metric.withAttributes(inventory, { chain: chain.slug, currency: symbol, address, holding }),
    Number(formatDecimal(amount, decimals))
  )
export const countWebhook = (outcome: "delivered" | "tried" | "failed") =>
  Metric.update(Metric.withAttributes(webhooks, { outcome }), 1)
export const noteSettlements = (state: string, count: number) =>
  Metric.update(Metric.withAttributes(settlements, { state }), count)
export const noteSettlementAge = (state: string, seconds: number) =>
  Metric.update(Metric.withAttributes(settlementAge, { state }), seconds)
export const countSettled = (outcome: "settled" | "refused" | "excluded", count: number) =>
  Metric.update(Metric.withAttributes(settled, { outcome }), count)
export const countSubmission = (outcome: "final" | "unsigned") =>
  Metric.update(Metric.withAttributes(submissions, { outcome }), 1)
export const countOracleAnswer = (oracle: string, outcome: string) =>
  Metric.update(Metric.withAttributes(oracleAnswers, { oracle, outcome }), 1)
