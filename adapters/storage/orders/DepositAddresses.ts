/**
 * Deposit addresses in SQL, one text for both engines. An address is one row for all chains, so that a sweep or a
 * request on a chain other than the quoted one finds it too.
 */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { AddressPlace, KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { Millis, SqlInt } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  chain_id: SqlInt.pipe(Schema.decodeTo(ChainId)),
  address: Address,
  mode: Schema.Literals(["open", "strict"]),
  request_id: RequestId,
  order_id: OrderId,
  depositor: Address,
  currency: CurrencyAddress,
  refund_to: Schema.NullOr(Address),
  api_key_id: Schema.NullOr(ApiKeyId),
  created_at: Millis,
  touched_at: Millis,
  factory: Schema.NullOr(Address)
})

/** Of one statement: engines bound its parameters. */
const ACCOUNTS = 1_000

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeRequests = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ request_id: RequestId })))
const decodeTimes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ last_at: Millis })))

const toAddress = (row: typeof Row.Type): KeptAddress => ({
  chainId: row.chain_id,
  address: row.address,
  mode: row.mode,
  requestId: row.request_id,
  orderId: row.order_id,
  depositor: row.depositor,
  factory: row.factory ?? undefined,
  currency: row.currency,
  refundTo: row.refund_to ?? undefined,
  apiKeyId: row.api_key_id ?? undefined,
  createdAt: row.created_at
})

const placeOf = (row: typeof Row.Type | undefined): AddressPlace | undefined =>
  row === undefined ? undefined : { touchedAt: row.touched_at, address: row.address }

export const decodeAddresses = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(toAddress))

const one = (rows: ReadonlyArray<unknown>) => Effect.map(decodeAddresses(rows), ([kept]) => kept)

/**
 * Stores the address that a transfer's terms name, unless it is known, and that the request is for it. Call within the
 * transaction that adds the transfer.
 */
export const keepAddress = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  { apiKeyId, id, orderId, quotedAt, terms: { depositAddress, originChainId, originCurrency } }: Transfer
): Effect.fn.Return<void, SqlError.SqlError> {
  if (depositAddress === undefined) return
  const { address, depositor, factory, mode, refundTo } = depositAddress
  const record = {
    address,
    chain_id: originChainId,
    mode,
    request_id: id,
    order_id: orderId,
    depositor,
    factory: factory ?? null,
    currency: originCurrency,
    refund_to: refundTo ?? null,
    api_key_id: apiKeyId ?? null,
    created_at: quotedAt,
    touched_at: quotedAt
  }
  yield* sql`INSERT INTO deposit_addresses ${sql.insert(record)} ON CONFLICT (address) DO NOTHING`
  yield* sql`INSERT INTO deposit_address_requests ${sql.insert({ request_id: id, address, chain_id: originChainId })}`
})

/**
 * Updates the time at which an address was touched. Call within the transaction that queues a sweep. Clocks differ, so
 * the time never goes back.
 */
export const touchAddress = (
  sql: SqlClient.SqlClient,
  address: Address,
  at: number
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`UPDATE deposit_addresses SET touched_at = ${at} WHERE address = ${address} AND touched_at < ${at}`)

export const layer = Layer.effect(
  DepositAddresses,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find: DepositAddresses["Service"]["find"] = (chainId, address) =>
      sql`SELECT * FROM deposit_addresses WHERE address = ${address} AND chain_id = ${chainId}`.pipe(
        Effect.flatMap(one),
        storeCall("DepositAddresses.find")
      )

    const among: DepositAddresses["Service"]["among"] = (accounts) =>
      Effect.forEach(
        Arr.chunksOf([...new Set(accounts)], ACCOUNTS),
        (some) => Effect.flatMap(sql`SELECT * FROM deposit_addresses WHERE ${sql.in("address", some)}`, decodeAddresses)
      ).pipe(
        Effect.map((found) => found.flat()),
        storeCall("DepositAddresses.among")
      )

    const findByRequest: DepositAddresses["Service"]["findByRequest"] = (requestId) =>
      sql`SELECT * FROM deposit_addresses
          WHERE address = (SELECT r.address FROM deposit_address_requests r WHERE r.request_id = ${requestId})`.pipe(
        Effect.flatMap(one),
        storeCall("DepositAddresses.findByRequest")
      )

    /** The lower of the two bounds, so that the index is entered where the page begins. */
    const before = (until: number | undefined, after: AddressPlace | undefined) => {
      if (after !== undefined && (until === undefined || after.touchedAt < until)) {
        return sql`AND (touched_at, address) < (${after.touchedAt}, ${after.address})`
      }
      return until === undefined ? sql`` : sql`AND touched_at < ${until}`
    }

    // Reads one row more than the limit, to know whether there are more.
    const recent: DepositAddresses["Service"]["recent"] = (chainId, { since, until }, after, limit) =>
      sql`SELECT * FROM deposit_addresses WHERE chain_id = ${chainId} AND touched_at >= ${since} ${before(until, after)}
            AND NOT EXISTS (SELECT 1 FROM dropped_addresses d WHERE d.address = deposit_addresses.address)
          ORDER BY touched_at DESC, address DESC LIMIT ${limit + 1}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map((rows) => ({
          addresses: rows.slice(0, limit).map(toAddress),
          next: rows.length > limit ? placeOf(rows[limit - 1]) : undefined
        })),
        storeCall("DepositAddresses.recent")
      )

    // Request ids begin with their time.
    const requestsOf: DepositAddresses["Service"]["requestsOf"] = (address, limit) =>
      sql`SELECT request_id FROM deposit_address_requests WHERE address = ${address} ORDER BY request_id DESC LIMIT ${limit}`
        .pipe(
          Effect.flatMap(decodeRequests),
          Effect.map((rows) => rows.map(({ request_id }) => request_id)),
          storeCall("DepositAddresses.requestsOf")
        )

    const noteOf = (chainId: ChainId, address: Address, target: ChainId) =>
      sql`chain_id = ${chainId} AND address = ${address} AND target_chain_id = ${target}`

    const reindexedAt: DepositAddresses["Service"]["reindexedAt"] = (chainId, address, target) =>
      sql`SELECT last_at FROM deposit_address_reindexes WHERE ${noteOf(chainId, address, target)}`.pipe(
        Effect.flatMap(decodeTimes),
        Effect.map(([row]) => row?.last_at),
        storeCall("DepositAddresses.reindexedAt")
      )

    const noteReindex: DepositAddresses["Service"]["noteReindex"] = (chainId, address, target, last, at) => {
      const noted = last === undefined
        ? sql`INSERT INTO deposit_address_reindexes ${
          sql.insert({ chain_id: chainId, address, target_chain_id: target, last_at: at })
        }
              ON CONFLICT (chain_id, address, target_chain_id) DO NOTHING RETURNING last_at`
        // Only a later time: a record with the same time would admit every caller that has read the last one.
        : sql`UPDATE deposit_address_reindexes SET last_at = ${at}
              WHERE ${noteOf(chainId, address, target)} AND last_at = ${last} AND last_at < ${at} RETURNING last_at`
      return Effect.map(noted, (rows) => rows.length > 0).pipe(storeCall("DepositAddresses.noteReindex"))
    }

    const forgetReindex: DepositAddresses["Service"]["forgetReindex"] = (chainId, address, target, last, at) => {
      const mine = sql`${noteOf(chainId, address, target)} AND last_at = ${at}`
      const forgotten = last === undefined
        ? sql`DELETE FROM deposit_address_reindexes WHERE ${mine}`
        : sql`UPDATE deposit_address_reindexes SET last_at = ${last} WHERE ${mine}`
      return Effect.asVoid(forgotten).pipe(storeCall("DepositAddresses.forgetReindex"))
    }

    return DepositAddresses.of({
      find,
      among,
      findByRequest,
      recent,
      requestsOf,
      reindexedAt,
      noteReindex,
      forgetReindex
    })
  })
)
