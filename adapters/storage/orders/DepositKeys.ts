/**
 * The stock of derived deposit addresses in SQL, one text for both engines. The update that finds an address free
 * decides who gets it: of two orders that want the same one, the second finds nothing and takes another.
 */
import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import type { DepositKey } from "../../../ports/store/orders/DepositKeys.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { nextGeneration } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { SqlCount } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({ address: Address, generation: SqlCount, number: SqlCount })

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeAddresses = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ address: Address })))
const decodeGenerations = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ last: Schema.NullOr(SqlCount) })]))
const decodeBegun = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ generation: SqlCount })))
const decodeCounts = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: SqlCount })]))

/** Rows in one statement. Engines limit its parameters. */
const BATCH = 100

/** An order chooses among this many free addresses by its id. Ids are evenly spread, so orders rarely collide. */
const SPREAD = 64

/** How often another address is tried after a concurrent order took the chosen one. */
const TRIES = 50

const toKey = (rows: ReadonlyArray<unknown>) => Effect.map(decodeRows(rows), ([row]): DepositKey | undefined => row)

export const layer = Layer.effect(
  DepositKeys,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const begin: DepositKeys["Service"]["begin"] = ({ name: family }, at) =>
      sql.withTransaction(Effect.gen(function*() {
        while (true) {
          const [{ last }] = yield* decodeGenerations(
            yield* sql`SELECT MAX(generation) AS last FROM deposit_key_generations WHERE family = ${family}`
          )
          const row = { family, generation: nextGeneration(at, last ?? undefined), begun_at: at }
          const [begun] = yield* decodeBegun(
            yield* sql`INSERT INTO deposit_key_generations ${
              sql.insert(row)
            } ON CONFLICT DO NOTHING RETURNING generation`
          )
          // Another worker has taken this number just now: take the next one.
          if (begun === undefined) continue
          yield* sql`DELETE FROM deposit_keys WHERE family = ${family} AND order_id IS NULL`
          return begun.generation
        }
      })).pipe(storeCall("DepositKeys.begin"))

    const free: DepositKeys["Service"]["free"] = ({ name: family }) =>
      sql`SELECT COUNT(*) AS count FROM deposit_keys WHERE family = ${family} AND order_id IS NULL`.pipe(
        Effect.flatMap(decodeCounts),
        Effect.map(([{ count }]) => count),
        storeCall("DepositKeys.free")
      )

    const add: DepositKeys["Service"]["add"] = ({ name: family }, keys) =>
      Effect.forEach(
        Arr.chunksOf(keys, BATCH).filter(Arr.isReadonlyArrayNonEmpty),
        (batch) =>
          sql`INSERT INTO deposit_keys ${
            sql.insert(Arr.map(batch, ({ address, generation, number }) => ({ address, family, generation, number })))
          } ON CONFLICT DO NOTHING`,
        { discard: true }
      ).pipe(storeCall("DepositKeys.add"))

    const claim: DepositKeys["Service"]["claim"] = ({ name: family }, orderId) =>
      Effect.gen(function*() {
        for (let tries = 0; tries < TRIES; tries += 1) {
          const candidates = yield* decodeAddresses(
            yield* sql`SELECT address FROM deposit_keys WHERE family = ${family} AND order_id IS NULL ORDER BY generation, number LIMIT ${SPREAD}`
          )
          if (candidates.length === 0) return undefined
          const chosen = candidates[(Number.parseInt(orderId.slice(-6), 16) + tries) % candidates.length]
          const [claimed] = yield* decodeAddresses(
            yield* sql`UPDATE deposit_keys SET order_id = ${orderId} WHERE address = ${
              chosen?.address ?? ""
            } AND order_id IS NULL RETURNING address`
          )
          if (claimed !== undefined) return claimed.address
        }
        return undefined
      }).pipe(storeCall("DepositKeys.claim"))

    const find: DepositKeys["Service"]["find"] = (address) =>
      sql`SELECT address, generation, number FROM deposit_keys WHERE address = ${address}`.pipe(
        Effect.flatMap(toKey),
        storeCall("DepositKeys.find")
      )

    const lastClaimed: DepositKeys["Service"]["lastClaimed"] = ({ name: family }) =>
      sql`SELECT address, generation, number FROM deposit_keys WHERE family = ${family} AND order_id IS NOT NULL
          ORDER BY generation DESC, number DESC LIMIT 1`.pipe(
        Effect.flatMap(toKey),
        storeCall("DepositKeys.lastClaimed")
      )

    return DepositKeys.of({ begin, free, add, claim, find, lastClaimed })
  })
)
