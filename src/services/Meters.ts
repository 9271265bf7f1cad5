/** What operators count, one list: `GET /metrics` shows each as `causeway_<name>`. */
import type * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { FillingOutcome } from "./filling/FillingWorkflow.ts"

const quotes = Metric.counter("quotes_total", { description: "quotes by outcome: quoted, or the error code", incremental: true })
const fillings = Metric.counter("deposits_total", { description: "deposits by what became of them", incremental: true })
const deposits = Metric.counter("deposits_seen_total", { description: "deposits seen, by chain", incremental: true })
const retries = Metric.counter("retries_total", { description: "steps that are tried again, by step", incremental: true })
const defects = Metric.counter("step_defects_total", { description: "steps that met a defect of ours and wait, by step: somebody must look", incremental: true })
const refusedPrices = Metric.counter("price_refusals_total", { description: "prices that were not used, by symbol and reason", incremental: true })
const stuck = Metric.counter("alarms_total", { description: "things that somebody must look at, by kind", incremental: true })
const height = Metric.gauge("chain_scanned_height", { description: "the last block that was scanned, by chain", bigint: true })

const overdue = Metric.gauge("overdue_requests", { description: "requests that are longer in their state than they may be, by state: somebody must look" })

const low = Metric.gauge("inventory_low", { description: "1 while a holding is below its low-water mark, by chain, currency and holding" })

export const countQuote = (outcome: string) => Metric.update(Metric.withAttributes(quotes, { outcome }), 1)
export const countFilling = (outcome: FillingOutcome) => Metric.update(Metric.withAttributes(fillings, { outcome }), 1)
export const countDeposits = (chain: string, count: number) => Metric.update(Metric.withAttributes(deposits, { chain }), count)
export const countRetry = (step: string) => Metric.update(Metric.withAttributes(retries, { step }), 1)
export const countDefect = (step: string) => Metric.update(Metric.withAttributes(defects, { step }), 1)
export const countPriceRefusal = (symbol: string, reason: string) =>
  Metric.update(Metric.withAttributes(refusedPrices, { symbol, reason }), 1)
export const countStuck = (what: string) => Metric.update(Metric.withAttributes(stuck, { what }), 1)
export const noteOverdue = (status: string, count: number) => Metric.update(Metric.withAttributes(overdue, { status }), count)
export const noteLow = (of: { readonly chain: string; readonly currency: string; readonly holding: string }, isLow: boolean) =>
  Metric.update(Metric.withAttributes(low, of), isLow ? 1 : 0)
export const noteHeight = (chain: string, blocks: bigint): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(height, { chain }), blocks)
