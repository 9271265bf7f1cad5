/** The newest final block of each chain in SQL, one text for both engines. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { FinalBlocks } from "../../../ports/store/operations/FinalBlocks.ts"
import { storeCall } from "../StoreCall.ts"

const decodeBlocks = Schema.decodeUnknownEffect(Schema.Array(Cursor))

export const layer = Layer.effect(
  FinalBlocks,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const find: FinalBlocks["Service"]["find"] = (chainId) =>
      sql`SELECT height, hash FROM final_blocks WHERE chain_id = ${chainId}`.pipe(
        Effect.flatMap(decodeBlocks),
        Effect.map(([block]) => block),
        storeCall("FinalBlocks.find")
      )

    // Heights are texts without leading zeros: the longer of two is the greater.
    const remember: FinalBlocks["Service"]["remember"] = (chainId, { hash, height }) => {
      const at = height.toString()
      return sql`INSERT INTO final_blocks ${sql.insert({ chain_id: chainId, height: at, hash })}
                 ON CONFLICT (chain_id) DO UPDATE SET height = ${at}, hash = ${hash}
                 WHERE LENGTH(final_blocks.height) < LENGTH(excluded.height)
                   OR (LENGTH(final_blocks.height) = LENGTH(excluded.height) AND final_blocks.height < excluded.height)`
        .pipe(
          Effect.asVoid,
          storeCall("FinalBlocks.remember")
        )
    }

    const forget: FinalBlocks["Service"]["forget"] = (chainId) =>
      sql`DELETE FROM final_blocks WHERE chain_id = ${chainId}`.pipe(Effect.asVoid, storeCall("FinalBlocks.forget"))

    return FinalBlocks.of({ find, remember, forget })
  })
)
