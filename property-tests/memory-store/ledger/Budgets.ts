/** The port `Budgets` in memory. The default cap is stored with the key. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import type { BudgetChange } from "../../../ports/store/ledger/Budgets.ts"
import type { ApiKey, ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import type { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { Tables } from "../Tables.ts"
import { forgetDaysBefore, laterLeftFor, leftFor, spentOf } from "./BudgetSpent.ts"

/** Undefined keeps a limit, null removes it. */
const changed = <K extends string>(
  name: K,
  now: MicroUsdc | undefined,
  change: MicroUsdc | null | undefined
): { readonly [_ in K]?: MicroUsdc } => {
  const next = change === undefined ? now : change ?? undefined
  const entry: { [_ in K]?: MicroUsdc } = {}
  if (next !== undefined) entry[name] = next
  return entry
}

const capped = ({ defaultCap: now, ...key }: ApiKey, change: MicroUsdc | null | undefined): ApiKey => ({
  ...key,
  ...changed("defaultCap", now, change)
})

const change = ({ keys, limits }: Tables, id: ApiKeyId, by: BudgetChange): boolean => {
  const row = keys.get(id)
  if (row === undefined) return false
  const now = limits.get(id) ?? {}
  limits.set(id, {
    ...changed("total", now.total, by.total),
    ...changed("perDay", now.perDay, by.perDay),
    ...changed("perRecipientPerDay", now.perRecipientPerDay, by.perRecipientPerDay),
    ...changed("laterPerAddressPerDay", now.laterPerAddressPerDay, by.laterPerAddressPerDay)
  })
  keys.set(id, { ...row, key: capped(row.key, by.defaultCap) })
  return true
}

export const layer = Layer.effect(
  Budgets,
  Effect.map(MemoryStore, ({ call }) =>
    Budgets.of({
      find: (key, at) =>
        call("Budgets.find", (tables) => {
          const row = tables.keys.get(key)
          if (row === undefined) return undefined
          const { day, total } = spentOf(tables, key, utcDay(at))
          return {
            limits: tables.limits.get(key) ?? {},
            defaultCap: row.key.defaultCap,
            spent: total,
            spentToday: day
          }
        }),
      change: (key, by) => call("Budgets.change", (tables) => change(tables, key, by)),
      left: (key, recipient, at) =>
        call("Budgets.left", (tables) => leftFor(tables, { key, recipient, day: utcDay(at) })),
      leftForLater: (key, address, at) =>
        call("Budgets.leftForLater", (tables) => laterLeftFor(tables, { key, address, day: utcDay(at) })),
      forgetDays: (before, atMost) => call("Budgets.forgetDays", (tables) => forgetDaysBefore(tables, before, atMost))
    }))
)
