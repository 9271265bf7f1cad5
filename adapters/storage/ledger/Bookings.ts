/** Recorded amounts that were received, paid and earned, in SQL, one text for both engines. */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import type { RecordedBooking, Valuation } from "../../../ports/store/ledger/Bookings.ts"
import { CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { UsdPrice } from "../../../src/domain/money/Usd.ts"
import { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { JsonText, Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const ChainColumn = SqlInt.pipe(Schema.decodeTo(ChainId))

const decodeDeposits = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ deposit: JsonText(Deposit), seen_at: Millis }))
)
const decodePayments = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  leg: Schema.String,
  deposit: Hex32,
  chain_id: ChainColumn,
  currency: CurrencyAddress,
  amount: UintText,
  topup: Schema.NullOr(UintText),
  state: Schema.String,
  gas_paid: Schema.NullOr(UintText),
  signed_at: Millis
})))
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({
  transaction_id: Schema.String,
  kind: Schema.String,
  account: Schema.String,
  chain_id: ChainColumn,
  currency: CurrencyAddress,
  units: Schema.String,
  posted_at: Millis
})))
const decodeValuations = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ onchain_id: Hex32, chain_id: ChainColumn, currency: CurrencyAddress, price: UintText }))
)

/** A request's movement has its deposit in its id: `accrue:<request>:<deposit>@final`, in old stores `@<block>`. */
const depositOf = (movement: string): Hex32 | undefined => {
  const [, deposit] = /:(0x[0-9a-f]{64})@/.exec(movement) ?? []
  return deposit === undefined ? undefined : Hex32.make(`0x${deposit.slice(2)}`)
}

const ofDeposit = (
  { deposit, seen_at }: Effect.Success<ReturnType<typeof decodeDeposits>>[number]
): RecordedBooking => ({
  kind: "received",
  at: seen_at,
  chainId: deposit.chainId,
  currency: deposit.currency,
  units: deposit.amount,
  deposit: deposit.onchainId
})

const ofPayment = (row: Effect.Success<ReturnType<typeof decodePayments>>[number]): ReadonlyArray<RecordedBooking> => {
  const common = { at: row.signed_at, chainId: row.chain_id, deposit: row.deposit }
  return [
    // A sweep or permit is not paid out: the money that it moves is booked as the deposit that it makes. A hub
    // submission pays nothing either.
    ...(row.state === "included" && row.leg !== "sweep" && row.leg !== "permit" && row.leg !== "settlement"
      ? [{ ...common, kind: "paidOut" as const, currency: row.currency, units: row.amount }]
      : []),
    // A topup is paid to the recipient in native currency, the currency of gas.
    ...(row.state === "included" && row.topup !== null
      ? [{ ...common, kind: "paidOut" as const, currency: undefined, units: row.topup }]
      : []),
    ...(row.gas_paid === null ? [] : [{ ...common, kind: "gas" as const, currency: undefined, units: row.gas_paid }])
  ]
}

const ofEntry = (row: Effect.Success<ReturnType<typeof decodeEntries>>[number]): ReadonlyArray<RecordedBooking> => {
  const units = BigInt(row.units)
  const kind = row.kind === "accrue" && row.account.startsWith("AppFeePayable:") ?
    "appFees" as const
    : row.kind === "capture" && row.account === "Revenue" ?
    "sponsorRevenue" as const
    : undefined
  return kind === undefined || units <= 0n
    ? []
    : [{
      kind,
      at: row.posted_at,
      chainId: row.chain_id,
      currency: row.currency,
      units,
      deposit: depositOf(row.transaction_id)
    }]
}

export const layer = Layer.effect(
  Bookings,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const value: Bookings["Service"]["value"] = (deposit, at) =>
      Effect.suspend(() => {
        const rows = at.map(({ chainId, currency, price }) => ({
          onchain_id: deposit,
          chain_id: chainId,
          currency,
          price: price.toString()
        }))
        if (!Arr.isReadonlyArrayNonEmpty(rows)) return Effect.succeed([])
        return sql`INSERT INTO valuations ${sql.insert(Arr.map(rows, (row) => ({ ...row })))}
          ON CONFLICT (onchain_id, chain_id, currency) DO NOTHING`
      }).pipe(Effect.asVoid, storeCall("Bookings.value"))

    const between: Bookings["Service"]["between"] = (from, to) =>
      Effect.gen(function*() {
        const deposits = yield* decodeDeposits(
          yield* sql`SELECT deposit, seen_at FROM deposits
                     WHERE seen_at >= ${from} AND seen_at < ${to} AND state NOT IN ('gone', 'foreign')`
        )
        const payments = yield* decodePayments(
          yield* sql`SELECT leg, deposit, chain_id, currency, amount, topup, state, gas_paid, signed_at FROM payments
                     WHERE signed_at >= ${from} AND signed_at < ${to}`
        )
        const entries = yield* decodeEntries(
          yield* sql`SELECT ledger_entries.transaction_id, ledger_transactions.kind, ledger_entries.account, ledger_entries.chain_id,
                       ledger_entries.currency, ledger_entries.units, ledger_transactions.posted_at
                     FROM ledger_entries JOIN ledger_transactions ON ledger_transactions.id = ledger_entries.transaction_id
                     WHERE ledger_transactions.posted_at >= ${from} AND ledger_transactions.posted_at < ${to}`
        )
        return [...deposits.map(ofDeposit), ...payments.flatMap(ofPayment), ...entries.flatMap(ofEntry)]
      }).pipe(storeCall("Bookings.between"))

    const valuations: Bookings["Service"]["valuations"] = (from, to) =>
      sql`SELECT onchain_id, chain_id, currency, price FROM valuations WHERE onchain_id IN (
            SELECT onchain_id FROM deposits WHERE seen_at >= ${from} AND seen_at < ${to}
            UNION SELECT deposit FROM payments WHERE signed_at >= ${from} AND signed_at < ${to}
          )`.pipe(
        Effect.flatMap(decodeValuations),
        Effect.map((rows) => {
          const priced = rows.map((
            row
          ): readonly [Hex32, Valuation] => [row.onchain_id, {
            chainId: row.chain_id,
            currency: row.currency,
            price: UsdPrice(row.price)
          }])
          return new Map(
            [...Map.groupBy(priced, ([deposit]) => deposit)].map(([deposit, group]) => [
              deposit,
              group.map(([, each]) => each)
            ])
          )
        }),
        storeCall("Bookings.valuations")
      )

    return Bookings.of({ value, between, valuations })
  })
)
