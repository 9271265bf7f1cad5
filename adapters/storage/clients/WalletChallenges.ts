/** Challenges in SQL, one text for both engines. The row's update decides between two concurrent uses. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { WalletChallenges } from "../../../ports/store/clients/WalletChallenges.ts"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { KeptChallenge } from "../../../src/domain/api-key/JudgeSignIn.ts"
import type { ChallengePurpose } from "../../../src/domain/api-key/WalletChallenge.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Millis } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

/** How long an expired challenge is kept, so that its message is refused for the right reason. */
const KEPT_MS = 3_600_000

const shared = {
  nonce: Schema.String,
  wallet: Address,
  issued_at: Millis,
  expires_at: Millis,
  used_at: Schema.NullOr(Millis)
}
const Row = Schema.Union([
  Schema.Struct({ ...shared, action: Schema.Literal("Link"), api_key_id: ApiKeyId }),
  Schema.Struct({ ...shared, action: Schema.Literal("Unlink"), api_key_id: Schema.NullOr(ApiKeyId) }),
  Schema.Struct({ ...shared, action: Schema.Literal("SignIn"), api_key_id: Schema.Null })
])
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const purposeOf = (row: typeof Row.Type): ChallengePurpose => {
  switch (row.action) {
    case "Link":
      return { _tag: "Link", key: row.api_key_id }
    case "Unlink":
      return { _tag: "Unlink", key: row.api_key_id ?? undefined }
    case "SignIn":
      return { _tag: "SignIn", key: undefined }
  }
}

const toKept = (row: typeof Row.Type): KeptChallenge => ({
  challenge: {
    nonce: row.nonce,
    purpose: purposeOf(row),
    wallet: row.wallet,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at
  },
  isUsed: row.used_at !== null
})

export const layer = Layer.effect(
  WalletChallenges,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const add: WalletChallenges["Service"]["add"] = ({ expiresAt, issuedAt, nonce, purpose, wallet }) =>
      Effect.gen(function*() {
        yield* sql`DELETE FROM wallet_challenges WHERE expires_at < ${issuedAt - KEPT_MS}`
        const row = {
          nonce,
          action: purpose._tag,
          api_key_id: purpose.key ?? null,
          wallet,
          issued_at: issuedAt,
          expires_at: expiresAt,
          used_at: null
        }
        yield* sql`INSERT INTO wallet_challenges ${sql.insert(row)}`
      }).pipe(storeCall("WalletChallenges.add"))

    const find: WalletChallenges["Service"]["find"] = (nonce) =>
      sql`SELECT nonce, action, api_key_id, wallet, issued_at, expires_at, used_at FROM wallet_challenges WHERE nonce = ${nonce}`
        .pipe(
          Effect.flatMap(decodeRows),
          Effect.map(([row]) => row === undefined ? undefined : toKept(row)),
          storeCall("WalletChallenges.find")
        )

    const use: WalletChallenges["Service"]["use"] = (nonce, at) =>
      sql`UPDATE wallet_challenges SET used_at = ${at} WHERE nonce = ${nonce} AND used_at IS NULL AND expires_at > ${at} RETURNING nonce`
        .pipe(
          Effect.map((rows) => rows.length > 0),
          storeCall("WalletChallenges.use")
        )

    return WalletChallenges.of({ add, find, use })
  })
)
