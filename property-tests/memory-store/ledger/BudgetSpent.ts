/** The spending of keys, one row for each amount that a limit counts. */
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { budgetLeft, laterLeft } from "../../../src/domain/sponsorship/Budget.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

/** The key and recipient whose spending is counted, and the UTC day. */
export interface Spender {
  readonly key: ApiKeyId
  readonly recipient: Address
  readonly day: number
}

/** The deposit address whose later deposits are counted in addition, and the UTC day. */
export interface LaterSpender {
  readonly key: ApiKeyId
  readonly address: Address
  readonly day: number
}

const TOTAL = "total"
const dayScope = (day: number): string => `day:${day}`
const recipientScope = ({ day, recipient }: Spender): string => `${dayScope(day)}:${recipient}`
const addressScope = ({ address, day }: LaterSpender): string => `${dayScope(day)}:at:${address}`
const scopesOf = (spender: Spender): ReadonlyArray<string> => [TOTAL, dayScope(spender.day), recipientScope(spender)]

const spentIn = ({ spent }: Tables, key: ApiKeyId, scope: string): MicroUsdc =>
  spent.get(keyOf(key, scope))?.spent ?? MicroUsdc(0n)

/** What a key has spent in total, and on one day. */
export const spentOf = (tables: Tables, key: ApiKeyId, day: number) => ({
  total: spentIn(tables, key, TOTAL),
  day: spentIn(tables, key, dayScope(day))
})

/** What the spender may still spend; undefined when no limit applies. */
export const leftFor = (tables: Tables, spender: Spender): MicroUsdc | undefined =>
  budgetLeft(tables.limits.get(spender.key) ?? {}, {
    total: spentIn(tables, spender.key, TOTAL),
    day: spentIn(tables, spender.key, dayScope(spender.day)),
    recipient: spentIn(tables, spender.key, recipientScope(spender))
  })

/** What the address's later deposits may still draw on that day. */
export const laterLeftFor = (tables: Tables, spender: LaterSpender): MicroUsdc =>
  laterLeft(tables.limits.get(spender.key) ?? {}, spentIn(tables, spender.key, addressScope(spender)))

const count = ({ spent }: Tables, key: ApiKeyId, scopes: ReadonlyArray<string>, units: bigint): void => {
  for (const scope of scopes) {
    const place = keyOf(key, scope)
    const before = spent.get(place)?.spent ?? 0n
    spent.set(place, { key, scope, spent: MicroUsdc(before + units) })
  }
}

/** Only from rows that still exist: those of a day that was deleted do not. */
const subtract = (tables: Tables, key: ApiKeyId, scopes: ReadonlyArray<string>, units: bigint): void =>
  count(tables, key, scopes.filter((scope) => tables.spent.has(keyOf(key, scope))), -units)

/** Counts a hold as spent; false, and nothing is counted, when a limit does not leave enough. */
export const spend = (tables: Tables, spender: Spender, units: MicroUsdc): boolean => {
  const left = leftFor(tables, spender)
  if (left !== undefined && units > left) return false
  count(tables, spender.key, scopesOf(spender), units)
  return true
}

/** Subtracts what was counted and not spent. */
export const giveBack = (tables: Tables, spender: Spender, units: bigint): void => {
  if (units > 0n) subtract(tables, spender.key, scopesOf(spender), units)
}

/** As `spend`. */
export const spendLater = (tables: Tables, spender: LaterSpender, units: MicroUsdc): boolean => {
  if (units > laterLeftFor(tables, spender)) return false
  count(tables, spender.key, [addressScope(spender)], units)
  return true
}

/** As `giveBack`. */
export const giveBackLater = (tables: Tables, spender: LaterSpender, units: bigint): void => {
  if (units > 0n) subtract(tables, spender.key, [addressScope(spender)], units)
}

/** Deletes at most so many rows of days before this one. Returns how many. */
export const forgetDaysBefore = ({ spent }: Tables, before: number, atMost: number): number => {
  const past = spent.all().filter(({ scope }) => scope >= "day:" && scope < dayScope(before)).slice(0, atMost)
  for (const { key, scope } of past) spent.remove(keyOf(key, scope))
  return past.length
}
