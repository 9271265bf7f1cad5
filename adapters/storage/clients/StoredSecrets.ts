/**
 * Compares the store's secrets with the configured keys at every start, before they are used, and seals those that are
 * not sealed with the first key. Several processes share a store with the same keys. A process that lacks a key in use
 * does not start.
 */
import { Clock, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SecretSealing } from "../../../ports/signing/SecretSealing.ts"
import { parseSealed, SecretsKeyId } from "../../../src/domain/secret/SealedText.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"

/** The configured keys do not open the store's secrets. The message says what to do. */
export class SecretsKeyRefused
  extends Schema.TaggedError<SecretsKeyRefused>()("SecretsKeyRefused", { message: Schema.String })
{}

const Row = Schema.Struct({ id: WebhookId, secret: Schema.String, previous_secret: Schema.NullOr(Schema.String) })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ key_id: SecretsKeyId })))

/**
 * The place of a webhook's secrets, for as long as the webhook exists: a rotation moves a secret only within its row.
 */
export const webhookPlace = (id: WebhookId): string => `webhooks/${id}`

const named = (ids: ReadonlyArray<string>): string => `key${ids.length === 1 ? "" : "s"} ${ids.join(", ")}`

const refused = (needed: ReadonlyArray<SecretsKeyId>, keys: ReadonlyArray<SecretsKeyId>) =>
  new SecretsKeyRefused({
    message: keys.length === 0
      ? `SECRETS_KEY is not set, and the store's secrets are sealed with ${
        named(needed)
      }: set it. A backup needs the key that was set when it was made`
      : `SECRETS_KEY does not open the store's secrets: they are sealed with ${named(needed)}, and SECRETS_KEY is ${
        named(keys)
      }. Set the right key; to change it, SECRETS_KEY=<new>;<old>`
  })

const damaged = (id: WebhookId) =>
  new SecretsKeyRefused({
    message:
      `the secret of webhook ${id} cannot be opened with its own key: its row was changed or damaged. Restore a backup, or delete that row of webhooks and ask its owner to create another`
  })

/** How many secrets in the store are sealed with no key (`plain`), or with another key than the first (`outdated`). */
export interface SecretsStanding {
  readonly plain: number
  readonly outdated: number
}

const rowsOf = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => Effect.flatMap(sql`SELECT id, secret, previous_secret FROM webhooks ORDER BY id`, decodeRows)
)

/** Fails with `SecretsKeyRefused` unless every secret opens with the configured keys. Changes nothing. */
export const checkSecrets = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { keys, open } = yield* SecretSealing
  const inUse = (yield* decodeKeys(yield* sql`SELECT key_id FROM secrets_keys`)).map(({ key_id }) => key_id)
  const standing = { plain: 0, outdated: 0 }
  const needed = new Set(inUse.filter((id) => !keys.includes(id)))
  const broken: Array<WebhookId> = []
  for (const { id, previous_secret: previous, secret } of yield* rowsOf) {
    for (const stored of previous === null ? [secret] : [secret, previous]) {
      const keyId = parseSealed(stored)?.keyId
      const opened = open(stored, webhookPlace(id))
      if (Result.isSuccess(opened)) {
        if (keyId === undefined) standing.plain += 1
        else if (keyId !== keys[0]) standing.outdated += 1
      } else if (opened.failure.reason === "key-unknown" && keyId !== undefined) needed.add(keyId)
      else broken.push(id)
    }
  }
  if (needed.size > 0) return yield* refused([...needed], keys)
  const [first] = broken
  if (first !== undefined) return yield* damaged(first)
  return standing satisfies SecretsStanding
})

/** Checks the same, and seals with the first key every secret that is not. Returns the counts from before. */
export const sealSecrets = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const sealing = yield* SecretSealing
  const [current] = sealing.keys
  const since = yield* Clock.currentTimeMillis
  const renewed = Effect.fnUntraced(function*(stored: string, place: string) {
    if (parseSealed(stored)?.keyId === current) return stored
    return yield* Effect.flatMap(
      Effect.fromResult(sealing.open(stored, place)),
      (secret) => sealing.seal(secret, place)
    )
  })
  const standing = yield* sql.withTransaction(Effect.gen(function*() {
    // Locks a row that every store has, so that of two processes that start at once the second sees the first one's
    // key.
    yield* sql`UPDATE causeway_migrations SET name = name WHERE migration_id = 12`
    if (current !== undefined) {
      yield* sql`INSERT INTO secrets_keys ${sql.insert({ key_id: current, since })} ON CONFLICT (key_id) DO NOTHING`
    }
    const found = yield* checkSecrets
    if (current === undefined) return found
    for (const { id, previous_secret: previous, secret } of yield* rowsOf) {
      const place = webhookPlace(id)
      const next = {
        secret: yield* renewed(secret, place),
        previous: previous === null ? null : yield* renewed(previous, place)
      }
      // Conditional: if another process has set a new secret in the meantime, that one is sealed already.
      yield* sql`UPDATE webhooks SET secret = ${next.secret}, previous_secret = ${next.previous} WHERE id = ${id} AND secret = ${secret}`
    }
    yield* sql`DELETE FROM secrets_keys WHERE key_id <> ${current}`
    return found
  }))
  if (current !== undefined && standing.plain > 0) yield* overwrite
  return standing
}).pipe(Effect.catchTag("SecretUnreadable", (error) => Effect.die(error)))

/** SQLite keeps overwritten data in free pages until they are rewritten. PostgreSQL has its own VACUUM. */
const overwrite = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    sqlite: () =>
      Effect.andThen(sql`VACUUM`, sql`PRAGMA wal_checkpoint(TRUNCATE)`).pipe(
        Effect.asVoid,
        Effect.catch((error) =>
          Effect.logWarning(
            `secrets are sealed, but their plain texts may remain in free pages of the store: VACUUM failed (${error.message})`
          )
        )
      ),
    orElse: () => Effect.void
  }))

const warning =
  "SECRETS_KEY is not set: secrets of webhooks are stored in plain text, and anyone who reads the store or a backup can sign with them"

/** The warning for an operator; undefined when every secret is sealed as it should be. */
export const warningOf = (keys: ReadonlyArray<SecretsKeyId>, { plain }: SecretsStanding): string | undefined => {
  if (keys.length === 0) return plain === 0 ? warning : `${warning} (${plain} of them)`
  return plain === 0 ? undefined : `${plain} secrets are not sealed yet: the next start seals them`
}

/** Runs at the start of a host, after the migrations and before the store is used. */
export const layerSealed = Layer.effectDiscard(Effect.gen(function*() {
  const { keys } = yield* SecretSealing
  const standing = yield* sealSecrets
  const said = keys.length === 0 ? warningOf(keys, standing) : undefined
  if (said !== undefined) yield* Effect.logWarning(said)
  const sealed = standing.plain + standing.outdated
  if (keys.length > 0 && sealed > 0) yield* Effect.logInfo(`sealed ${sealed} secrets of webhooks with key ${keys[0]}`)
}))
