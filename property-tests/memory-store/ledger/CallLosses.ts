/** The port `CallLosses` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CALL_LOSSES_WINDOW_MS, CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import type { CallLoss, CallRiskToReserve } from "../../../ports/store/ledger/CallLosses.ts"
import { makeRecentRead } from "../../../ports/store/operations/RecentRead.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { hasRoom, inFlightOf } from "../../../src/domain/transfer/payment/CallLossRoom.ts"
import type { CallLossCaps, CallLossSums, RiskInFlight } from "../../../src/domain/transfer/payment/CallLossRoom.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { CallLossRow } from "../rows/LedgerRows.ts"
import type { Tables } from "../Tables.ts"

const keep = (
  { callLosses }: Tables,
  { orderId, sender, usdMicros }: CallLoss,
  at: number,
  inFlight: RiskInFlight | undefined
): void => callLosses.set(orderId, { orderId, sender, usdMicros, countedAt: at, inFlight })

const counting = ({ callLosses }: Tables, at: number): ReadonlyArray<CallLossRow> =>
  callLosses.all().filter(({ countedAt }) => countedAt > at - CALL_LOSSES_WINDOW_MS)

const sumOf = (rows: ReadonlyArray<CallLossRow>): bigint => rows.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)

const sumsOf = (rows: ReadonlyArray<CallLossRow>): CallLossSums => {
  const those = (kind: RiskInFlight | undefined) => sumOf(rows.filter(({ inFlight }) => inFlight === kind))
  return { calls: those("calls"), lost: those(undefined), swap: those("swap") }
}

const reserve = (tables: Tables, risk: CallRiskToReserve, caps: CallLossCaps, at: number): boolean => {
  // Rows are kept for another window after they stop counting, because workers' clocks differ.
  for (const { countedAt, orderId } of tables.callLosses.all()) {
    if (countedAt <= at - 2 * CALL_LOSSES_WINDOW_MS) tables.callLosses.remove(orderId)
  }
  const others = counting(tables, at).filter(({ orderId }) => orderId !== risk.orderId)
  const ofSender = others.filter(({ sender }) => sender === risk.sender)
  if (!hasRoom(risk.kind, risk.usdMicros, caps, sumsOf(others), sumsOf(ofSender))) return false
  keep(tables, risk, at, inFlightOf(risk.kind))
  return true
}

export const layer = Layer.effect(
  CallLosses,
  Effect.map(Effect.all([MemoryStore, SlowPoll]), ([{ call, notices }, slowPoll]) => {
    const spent: CallLosses["Service"]["spent"] = (at) =>
      call("CallLosses.spent", (tables) => sumOf(counting(tables, at).filter(({ inFlight }) => inFlight !== "swap")))
    const { forget, recent } = makeRecentRead(slowPoll, Effect.sync(() => notices.heard("call-losses")), spent)
    return CallLosses.of({
      reserve: (risk, caps, at) =>
        call("CallLosses.reserve", (tables) => {
          forget()
          return reserve(tables, risk, caps, at)
        }),
      settle: (loss, at) =>
        call("CallLosses.settle", (tables) => {
          forget()
          if (loss.usdMicros === 0n) tables.callLosses.remove(loss.orderId)
          else keep(tables, loss, at, undefined)
        }),
      spent,
      recentlySpent: recent
    })
  })
)
