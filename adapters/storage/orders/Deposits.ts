/** Sighted deposits and scanning cursors in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import { writeTogether } from "../WriteTogether.ts"
import { DepositStates } from "./DepositStates.ts"
import { clearedReservations } from "./InventoryReservations.ts"
import { openSettlement } from "./Settlements.ts"
import { storeCall } from "../StoreCall.ts"
import { decodeOpen, decodeSightings, recordedDeposits } from "./RecordedDeposits.ts"

const decodeStates = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ state: DepositStates })))

const decodeCursors = Schema.decodeUnknownEffect(Schema.Array(Cursor))

/** The cursors of a chain: of scans, and of looks at final blocks. */
const cursorsOf = (sql: SqlClient.SqlClient) => {
  const cursor: Deposits["Service"]["cursor"] = (chainId) =>
    sql`SELECT height, hash FROM cursors WHERE chain_id = ${chainId}`.pipe(
      Effect.flatMap(decodeCursors),
      Effect.map((rows) => rows[0]),
      storeCall("Deposits.cursor")
    )

  const finalCursor: Deposits["Service"]["finalCursor"] = (chainId) =>
    sql`SELECT final_height AS height, final_hash AS hash FROM cursors
        WHERE chain_id = ${chainId} AND final_height IS NOT NULL`.pipe(
      Effect.flatMap(decodeCursors),
      Effect.map((rows) => rows[0]),
      storeCall("Deposits.finalCursor")
    )

  const anchor: Deposits["Service"]["anchor"] = (chainId, { hash, height }) => {
    const at = height.toString()
    const row = { chain_id: chainId, height: at, hash, anchored: at, final_height: at, final_hash: hash }
    return sql`INSERT INTO cursors ${sql.insert(row)} ON CONFLICT (chain_id) DO NOTHING`.pipe(
      Effect.asVoid,
      storeCall("Deposits.anchor")
    )
  }

  return { cursor, finalCursor, anchor }
}

export const layer = Layer.effect(
  Deposits,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find: Deposits["Service"]["find"] = (onchainId) =>
      sql`SELECT deposit, sighting FROM deposits WHERE onchain_id = ${onchainId}`.pipe(
        Effect.flatMap(decodeSightings),
        Effect.map((rows) => rows[0]),
        storeCall("Deposits.find")
      )

    const stateOf: Deposits["Service"]["stateOf"] = (onchainId) =>
      sql`SELECT state FROM deposits WHERE onchain_id = ${onchainId}`.pipe(
        Effect.flatMap(decodeStates),
        Effect.map((rows) => rows[0]?.state),
        storeCall("Deposits.stateOf")
      )

    const open: Deposits["Service"]["open"] = (ofOneOrder) =>
      // By the index `deposits_open` alone, and in its order: all that is open is gone through each time.
      sql`SELECT onchain_id, sighting FROM (
            SELECT onchain_id, sighting, seen_at, deposit_id, ROW_NUMBER() OVER (
              PARTITION BY deposit_id ORDER BY precedence DESC, seen_at, onchain_id
            ) AS place FROM deposits WHERE state = 'open'
          ) AS placed WHERE place <= ${ofOneOrder} OR deposit_id = ${NO_ORDER} ORDER BY seen_at, onchain_id`.pipe(
        Effect.flatMap(decodeOpen),
        Effect.map((rows) => rows.map(({ onchain_id, sighting }) => ({ onchainId: onchain_id, sighting }))),
        storeCall("Deposits.open")
      )

    const ended: Deposits["Service"]["ended"] = (chainId, limit) =>
      sql`SELECT deposit, sighting FROM deposits WHERE chain_id = ${chainId} AND state IN ('filled', 'refunded')
          ORDER BY seen_at DESC, onchain_id LIMIT ${limit}`.pipe(
        Effect.flatMap(decodeSightings),
        storeCall("Deposits.ended")
      )

    const sightAgain: Deposits["Service"]["sightAgain"] = ({ onchainId, sighting }) =>
      sql`UPDATE deposits SET sighting = sighting + 1
          WHERE onchain_id = ${onchainId} AND state = 'open' AND sighting = ${sighting}
          RETURNING deposit, sighting`.pipe(
        Effect.flatMap(decodeSightings),
        Effect.map((rows) => rows[0]),
        storeCall("Deposits.sightAgain")
      )

    const reopen: Deposits["Service"]["reopen"] = (onchainId) =>
      sql.withTransaction(Effect.gen(function*() {
        const [again] = yield* decodeSightings(
          yield* sql`UPDATE deposits SET state = 'open', sighting = sighting + 1
              WHERE onchain_id = ${onchainId} AND state = 'unrefundable'
              RETURNING deposit, sighting`
        )
        // Whatever keeps it now is found anew.
        if (again !== undefined) yield* sql`DELETE FROM refunds_held WHERE onchain_id = ${onchainId}`
        return again
      })).pipe(storeCall("Deposits.reopen"))

    const close: Deposits["Service"]["close"] = (onchainId, sighting, state, at) => {
      const release = [
        ...clearedReservations(sql, sql`(SELECT deposit_id FROM deposits WHERE onchain_id = ${onchainId})`),
        // By now the deposit is final or gone, or the payment for it on the same chain is final.
        sql`DELETE FROM exposures WHERE onchain_id = ${onchainId}`
      ] as const
      const closing = sql`UPDATE deposits SET state = ${state}, has_settlement = ${
        state === "filled" || state === "refunded" ? 1 : null
      } WHERE onchain_id = ${onchainId} AND sighting = ${sighting}`
      return sql.onDialectOrElse({
        // Settled is what the update has returned: of two at once, the second finds another sighting and opens nothing.
        pg: () =>
          writeTogether(sql, [
            ...release,
            { as: "closed", write: sql`${closing} RETURNING onchain_id, deposit_id, seen_at, state` },
            openSettlement(sql, sql`closed`, at)
          ]),
        orElse: () =>
          writeTogether(sql, [
            ...release,
            closing,
            openSettlement(
              sql,
              sql`(SELECT * FROM deposits WHERE onchain_id = ${onchainId} AND sighting = ${sighting}) AS closed`,
              at
            )
          ])
      }).pipe(Effect.asVoid, storeCall("Deposits.close"))
    }

    return Deposits.of({
      ...recordedDeposits(sql),
      ...cursorsOf(sql),
      find,
      stateOf,
      open,
      ended,
      sightAgain,
      reopen,
      close
    })
  })
)
