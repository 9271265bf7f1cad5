/** The port `CalldataAllowances` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CalldataAllowances } from "../../../ports/store/orders/CalldataAllowances.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { keyOf } from "../Tables.ts"

/** More than the clocks of processes differ. */
const KEPT_DAYS = 2

export const layer = Layer.effect(
  CalldataAllowances,
  Effect.map(MemoryStore, ({ call }) =>
    CalldataAllowances.of({
      take: ({ allowance, at, bytes, key = "" }) =>
        call("CalldataAllowances.take", ({ calldata }) => {
          const day = utcDay(at)
          const place = keyOf(day, key)
          const taken = calldata.get(place)?.bytes ?? 0
          if (taken + bytes > allowance) return false
          calldata.set(place, { day, key, bytes: taken + bytes })
          // A key's first request on a day deletes past days.
          if (taken === 0) {
            for (const row of calldata.all()) {
              if (row.day < day - KEPT_DAYS) calldata.remove(keyOf(row.day, row.key))
            }
          }
          return true
        })
    }))
)
