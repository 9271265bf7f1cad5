/** API keys in SQL, one text for both engines. */
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { KeptApiKey } from "../../../ports/store/clients/ApiKeys.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { ApiKey } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdcFromString } from "../../../src/domain/ledger/MicroUsdc.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  id: ApiKeyId,
  label: Schema.String,
  owner: Schema.NullOr(Address),
  wallet: Schema.NullOr(Address),
  default_cap: Schema.NullOr(MicroUsdcFromString)
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeRow = Schema.encodeEffect(Row)

const KeptRow = Schema.Struct({
  ...Row.fields,
  created_at: Millis,
  revoked_at: Schema.NullOr(Millis),
  previous_until: Schema.NullOr(Millis)
})
const decodeKept = Schema.decodeUnknownEffect(Schema.Array(KeptRow))
const decodeRevoked = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ revoked_at: Millis })))
const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: ApiKeyId })))

const toApiKey = ({ default_cap: defaultCap, id, label, owner, wallet }: typeof Row.Type): ApiKey => ({
  id,
  label,
  ...(owner === null ? {} : { owner }),
  ...(wallet === null ? {} : { wallet }),
  ...(defaultCap === null ? {} : { defaultCap })
})

const toKept = (row: typeof KeptRow.Type): KeptApiKey => ({
  key: toApiKey(row),
  createdAt: row.created_at,
  revokedAt: row.revoked_at ?? undefined,
  rotatingUntil: row.previous_until ?? undefined
})

export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const add = Effect.fnUntraced(function*({ defaultCap, id, label, owner, wallet }: ApiKey, hash: Hex32, at: number) {
      const row = yield* encodeRow({
        id,
        label,
        owner: owner ?? null,
        wallet: wallet ?? null,
        default_cap: defaultCap ?? null
      })
      yield* sql`INSERT INTO api_keys ${sql.insert({ ...row, hash, created_at: at })}`
    }, storeCall("ApiKeys.add"))

    const find = Effect.fnUntraced(function*(hash: Hex32) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* decodeRows(
        yield* sql`SELECT id, label, owner, wallet, default_cap FROM api_keys
        WHERE revoked_at IS NULL AND (hash = ${hash} OR (previous_hash = ${hash} AND previous_until > ${now}))`
      )
      return row === undefined ? undefined : toApiKey(row)
    }, storeCall("ApiKeys.find"))

    const columns = sql.literal("id, label, owner, wallet, default_cap, created_at, revoked_at, previous_until")
    const kept = (rows: ReadonlyArray<unknown>) => Effect.map(decodeKept(rows), (decoded) => decoded.map(toKept))

    const all = sql`SELECT ${columns} FROM api_keys ORDER BY created_at, id`.pipe(
      Effect.flatMap(kept),
      storeCall("ApiKeys.all")
    )

    const ofWallet: ApiKeys["Service"]["ofWallet"] = (wallet) =>
      sql`SELECT ${columns} FROM api_keys WHERE owner = ${wallet} OR wallet = ${wallet} ORDER BY created_at, id`.pipe(
        Effect.flatMap(kept),
        storeCall("ApiKeys.ofWallet")
      )

    const rotate: ApiKeys["Service"]["rotate"] = (id, hash, previousUntil) =>
      sql`UPDATE api_keys SET previous_hash = hash, previous_until = ${previousUntil}, hash = ${hash}
          WHERE id = ${id} AND revoked_at IS NULL RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeCall("ApiKeys.rotate")
      )

    const revoke: ApiKeys["Service"]["revoke"] = (id, at) =>
      sql`UPDATE api_keys SET revoked_at = COALESCE(revoked_at, CAST(${at} AS BIGINT)) WHERE id = ${id} RETURNING revoked_at`
        .pipe(
          Effect.flatMap(decodeRevoked),
          Effect.map(([row]) => row?.revoked_at),
          storeCall("ApiKeys.revoke")
        )

    const link: ApiKeys["Service"]["link"] = (id, wallet) =>
      sql`UPDATE api_keys SET wallet = ${wallet} WHERE id = ${id} AND revoked_at IS NULL RETURNING id, label, owner, wallet, default_cap`
        .pipe(
          Effect.flatMap(decodeRows),
          Effect.map(([row]) => row === undefined ? undefined : toApiKey(row)),
          storeCall("ApiKeys.link")
        )

    const unlink: ApiKeys["Service"]["unlink"] = (id) =>
      sql`UPDATE api_keys SET wallet = NULL WHERE id = ${id}`.pipe(Effect.asVoid, storeCall("ApiKeys.unlink"))

    const unlinkWallet: ApiKeys["Service"]["unlinkWallet"] = (wallet, only) =>
      (only === undefined
        ? sql`UPDATE api_keys SET wallet = NULL WHERE wallet = ${wallet} RETURNING id`
        : sql`UPDATE api_keys SET wallet = NULL WHERE wallet = ${wallet} AND id = ${only} RETURNING id`).pipe(
          Effect.flatMap(decodeIds),
          Effect.map((rows) => rows.map(({ id }) => id).toSorted()),
          storeCall("ApiKeys.unlinkWallet")
        )

    return ApiKeys.of({ add, find, all, ofWallet, rotate, revoke, link, unlink, unlinkWallet })
  })
)
