/** Budgets of keys in SQL, one text for both engines. The default cap is stored with the key. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { MicroUsdcFromString } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import { forgetDaysBefore, laterLeftFor, leftFor, limitsOf, spentOf } from "./BudgetSpent.ts"
import { storeCall } from "../StoreCall.ts"

const decodeKeys = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ default_cap: Schema.NullOr(MicroUsdcFromString) }))
)

const changed = (now: MicroUsdc | undefined, change: MicroUsdc | null | undefined): string | null =>
  (change === undefined ? now ?? null : change)?.toString() ?? null

export const layer = Layer.effect(
  Budgets,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find: Budgets["Service"]["find"] = (key, at) =>
      Effect.gen(function*() {
        const [known] = yield* decodeKeys(yield* sql`SELECT default_cap FROM api_keys WHERE id = ${key}`)
        if (known === undefined) return undefined
        const { day, total } = yield* spentOf(sql, key, utcDay(at))
        return {
          limits: yield* limitsOf(sql, key),
          defaultCap: known.default_cap ?? undefined,
          spent: total,
          spentToday: day
        }
      }).pipe(storeCall("Budgets.find"))

    const change: Budgets["Service"]["change"] = (
      key,
      { defaultCap, laterPerAddressPerDay, perDay, perRecipientPerDay, total }
    ) =>
      sql.withTransaction(Effect.gen(function*() {
        const [known] = yield* decodeKeys(
          yield* sql`UPDATE api_keys SET label = label WHERE id = ${key} RETURNING default_cap`
        )
        if (known === undefined) return false
        const limits = yield* limitsOf(sql, key)
        const row = {
          key_id: key,
          total: changed(limits.total, total),
          per_day: changed(limits.perDay, perDay),
          per_recipient_per_day: changed(limits.perRecipientPerDay, perRecipientPerDay),
          later_per_address_per_day: changed(limits.laterPerAddressPerDay, laterPerAddressPerDay)
        }
        yield* sql`INSERT INTO key_budgets ${sql.insert(row)}
          ON CONFLICT (key_id) DO UPDATE SET total = excluded.total, per_day = excluded.per_day, per_recipient_per_day = excluded.per_recipient_per_day,
            later_per_address_per_day = excluded.later_per_address_per_day`
        if (defaultCap !== undefined) {
          yield* sql`UPDATE api_keys SET default_cap = ${defaultCap?.toString() ?? null} WHERE id = ${key}`
        }
        return true
      })).pipe(storeCall("Budgets.change"))

    const left: Budgets["Service"]["left"] = (key, recipient, at) =>
      leftFor(sql, { key, recipient, day: utcDay(at) }).pipe(storeCall("Budgets.left"))

    const leftForLater: Budgets["Service"]["leftForLater"] = (key, address, at) =>
      laterLeftFor(sql, { key, address, day: utcDay(at) }).pipe(storeCall("Budgets.leftForLater"))

    const forgetDays: Budgets["Service"]["forgetDays"] = (before, atMost) =>
      forgetDaysBefore(sql, before, atMost).pipe(storeCall("Budgets.forgetDays"))

    return Budgets.of({ find, change, left, leftForLater, forgetDays })
  })
)
