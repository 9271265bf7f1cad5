/**
 * Seals secrets before they are stored, and opens them. SECURITY: a secret is bound to its place, so that a sealed text
 * that was moved to another row does not open; who can write the store can take secrets away, not exchange them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SecretsKeyId } from "../../src/domain/secret/SealedText.ts"

/**
 * `key-unknown`: it is sealed with a key that is not at hand. `damaged`: changed, moved, or of a form that is not
 * known.
 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  reason: Schema.Literals(["key-unknown", "damaged"]),
  /** Undefined when the text does not say. */
  keyId: Schema.UndefinedOr(SecretsKeyId)
}) {}

export class SecretSealing extends Context.Service<SecretSealing, {
  /** The keys at hand, that which seals first; none when secrets are stored as they are. */
  readonly keys: ReadonlyArray<SecretsKeyId>
  /** What to store. `place` names the row for ever, such as `webhooks/<id>`. */
  readonly seal: (secret: Redacted.Redacted, place: string) => Effect.Effect<string>
  /** Of what was stored at this place; a text that was never sealed is the secret itself. */
  readonly open: (stored: string, place: string) => Result.Result<Redacted.Redacted, SecretUnreadable>
}>()("causeway/ports/SecretSealing") {}
