/** The port `CallLosses` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CALL_LOSSES_WINDOW_MS, CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import type { CallLoss, CallLossCaps } from "../../../ports/store/ledger/CallLosses.ts"
import { makeRecentRead } from "../../../ports/store/operations/RecentRead.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { CallLossRow } from "../rows/LedgerRows.ts"
import type { Tables } from "../Tables.ts"

const keep = ({ callLosses }: Tables, { orderId, sender, usdMicros }: CallLoss, at: number): void =>
  callLosses.set(orderId, { orderId, sender, usdMicros, countedAt: at })

const counting = ({ callLosses }: Tables, at: number): ReadonlyArray<CallLossRow> =>
  callLosses.all().filter(({ countedAt }) => countedAt > at - CALL_LOSSES_WINDOW_MS)

const sumOf = (rows: ReadonlyArray<CallLossRow>): bigint => rows.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)

const reserve = (tables: Tables, loss: CallLoss, caps: CallLossCaps, at: number): boolean => {
  // Rows are kept for another window after they stop counting, because workers' clocks differ.
  for (const { countedAt, orderId } of tables.callLosses.all()) {
    if (countedAt <= at - 2 * CALL_LOSSES_WINDOW_MS) tables.callLosses.remove(orderId)
  }
  const others = counting(tables, at).filter(({ orderId }) => orderId !== loss.orderId)
  const ofSender = others.filter(({ sender }) => sender === loss.sender)
  if (sumOf(others) + loss.usdMicros > caps.all || sumOf(ofSender) + loss.usdMicros > caps.sender) return false
  keep(tables, loss, at)
  return true
}

export const layer = Layer.effect(
  CallLosses,
  Effect.map(Effect.all([MemoryStore, SlowPoll]), ([{ call, notices }, slowPoll]) => {
    const spent: CallLosses["Service"]["spent"] = (at) =>
      call("CallLosses.spent", (tables) => sumOf(counting(tables, at)))
    const { forget, recent } = makeRecentRead(slowPoll, Effect.sync(() => notices.heard("call-losses")), spent)
    return CallLosses.of({
      reserve: (loss, caps, at) =>
        call("CallLosses.reserve", (tables) => {
          forget()
          return reserve(tables, loss, caps, at)
        }),
      settle: (loss, at) =>
        call("CallLosses.settle", (tables) => {
          forget()
          if (loss.usdMicros === 0n) tables.callLosses.remove(loss.orderId)
          else keep(tables, loss, at)
        }),
      spent,
      recentlySpent: recent
    })
  })
)
