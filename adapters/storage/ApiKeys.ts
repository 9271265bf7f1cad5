/** API keys in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../ports/ApiKeys.ts"
import { ApiKeyId } from "../../src/domain/api-key/ApiKey.ts"
import type { ApiKey } from "../../src/domain/api-key/ApiKey.ts"
import { MicroUsdcFromString } from "../../src/domain/app-balance/MicroUsdc.ts"
import { Address } from "../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../src/domain/chain/Hex.ts"
import { storeCall } from "./StoreCall.ts"

const Row = Schema.Struct({
  id: ApiKeyId,
  label: Schema.String,
  wallet: Schema.NullOr(Address),
  default_cap: Schema.NullOr(MicroUsdcFromString)
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeRow = Schema.encodeEffect(Row)

const toApiKey = ({ default_cap: defaultCap, id, label, wallet }: typeof Row.Type): ApiKey => ({
  id,
  label,
  ...(wallet === null ? {} : { wallet }),
  ...(defaultCap === null ? {} : { defaultCap })
})

export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const add = Effect.fnUntraced(function*({ defaultCap, id, label, wallet }: ApiKey, hash: Hex32, at: number) {
      const row = yield* encodeRow({ id, label, wallet: wallet ?? null, default_cap: defaultCap ?? null })
      yield* sql`INSERT INTO api_keys ${sql.insert({ ...row, hash, created_at: at })}`
    }, storeCall("ApiKeys.add"))

    const find = Effect.fnUntraced(function*(hash: Hex32) {
      const [row] = yield* decodeRows(yield* sql`SELECT id, label, wallet, default_cap FROM api_keys WHERE hash = ${hash} AND revoked_at IS NULL`)
      return row === undefined ? undefined : toApiKey(row)
    }, storeCall("ApiKeys.find"))

    return ApiKeys.of({ add, find })
  })
)
