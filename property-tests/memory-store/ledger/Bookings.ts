/** The port `Bookings` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import type { RecordedBooking, Valuation } from "../../../ports/store/ledger/Bookings.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { EntryRow } from "../rows/LedgerRows.ts"
import type { DepositRow, PaymentRow } from "../rows/OrderRows.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"

/** A request's movement has its deposit in its id: `accrue:<request>:<deposit>@final`. */
const depositOf = (movement: string): Hex32 | undefined => {
  const [, deposit] = /:(0x[0-9a-f]{64})@/.exec(movement) ?? []
  return deposit === undefined ? undefined : Hex32.make(`0x${deposit.slice(2)}`)
}

const ofDeposit = ({ deposit, seenAt }: DepositRow): RecordedBooking => ({
  kind: "received",
  at: seenAt,
  chainId: deposit.chainId,
  currency: deposit.currency,
  units: deposit.amount,
  deposit: deposit.onchainId
})

/** What these move is booked as the deposit that it makes, or is nothing. */
const pays = (leg: string): boolean => leg !== "sweep" && leg !== "permit" && leg !== "settlement"

const ofPayment = (row: PaymentRow): ReadonlyArray<RecordedBooking> => {
  const common = { at: row.signedAt, chainId: row.chainId, deposit: row.deposit }
  return [
    ...(row.state === "included" && pays(row.leg)
      ? [{ ...common, kind: "paidOut" as const, currency: row.currency, units: row.amount }]
      : []),
    ...(row.state === "included" && row.topup !== undefined
      ? [{ ...common, kind: "paidOut" as const, currency: undefined, units: row.topup }]
      : []),
    ...(row.gasPaid === undefined ? [] : [{ ...common, kind: "gas" as const, currency: undefined, units: row.gasPaid }])
  ]
}

const ofEntry = (
  { movements }: Tables,
  { account: { _tag }, at, currency, movement, units }: EntryRow
): ReadonlyArray<RecordedBooking> => {
  const of = movements.get(movement)?.transaction.kind
  const isFee = of === "accrue" && _tag === "AppFeePayable"
  const isRevenue = of === "capture" && _tag === "Revenue"
  if (units <= 0n || !(isFee || isRevenue)) return []
  const kind = isFee ? "appFees" : "sponsorRevenue"
  return [{ kind, at, chainId: currency.chainId, currency: currency.address, units, deposit: depositOf(movement) }]
}

const between = (tables: Tables, from: number, to: number): ReadonlyArray<RecordedBooking> => {
  const isWithin = (at: number) => at >= from && at < to
  return [
    ...tables.deposits.all().filter(({ seenAt, state }) => isWithin(seenAt) && state !== "gone" && state !== "foreign")
      .map(ofDeposit),
    ...tables.payments.all().filter(({ signedAt }) => isWithin(signedAt)).flatMap(ofPayment),
    ...tables.entries.all().filter(({ at }) => isWithin(at)).flatMap((entry) => ofEntry(tables, entry))
  ]
}

const valuations = (tables: Tables, from: number, to: number): ReadonlyMap<Hex32, ReadonlyArray<Valuation>> => {
  const isWithin = (at: number) => at >= from && at < to
  const booked = new Set([
    ...tables.deposits.all().filter(({ seenAt }) => isWithin(seenAt)).map(({ deposit }) => deposit.onchainId),
    ...tables.payments.all().filter(({ signedAt }) => isWithin(signedAt)).map(({ deposit }) => deposit)
  ])
  const found = new Map<Hex32, ReadonlyArray<Valuation>>()
  for (const { deposit, ...valuation } of tables.valuations.all()) {
    if (booked.has(deposit)) found.set(deposit, [...(found.get(deposit) ?? []), valuation])
  }
  return found
}

export const layer = Layer.effect(
  Bookings,
  Effect.map(MemoryStore, ({ call }) =>
    Bookings.of({
      value: (deposit, at) =>
        call("Bookings.value", (tables) => {
          for (const { chainId, currency, price } of at) {
            const key = keyOf(deposit, chainId, currency)
            if (!tables.valuations.has(key)) tables.valuations.add(key, { deposit, chainId, currency, price })
          }
        }),
      between: (from, to) => call("Bookings.between", (tables) => between(tables, from, to)),
      valuations: (from, to) => call("Bookings.valuations", (tables) => valuations(tables, from, to))
    }))
)
