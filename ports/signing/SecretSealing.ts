/**
 * Seals secrets before they are stored, and opens them.
 *
 * SECURITY: a secret is bound to its place, so a sealed text that was moved to another row does not open. An attacker
 * who can write to the store can remove secrets but cannot exchange them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SecretsKeyId } from "../../src/domain/secret/SealedText.ts"

/**
 * `key-unknown`: it is sealed with a key that this process does not have. `damaged`: it was changed or moved, or its
 * format is unknown.
 */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  reason: Schema.Literals(["key-unknown", "damaged"]),
  /** Undefined when the text does not name a key. */
  keyId: Schema.UndefinedOr(SecretsKeyId)
}) {}

/** Seals and opens secrets, each bound to its place. Errors: `SecretUnreadable`. */
export class SecretSealing extends Context.Service<SecretSealing, {
  /** The keys of this process, the one that seals first. Empty when secrets are stored unsealed. */
  readonly keys: ReadonlyArray<SecretsKeyId>
  /** The text to store. `place` names the row permanently, such as `webhooks/<id>`. */
  readonly seal: (secret: Redacted.Redacted, place: string) => Effect.Effect<string>
  /** Opens what was stored at this place. A text that was never sealed is the secret itself. */
  readonly open: (stored: string, place: string) => Result.Result<Redacted.Redacted, SecretUnreadable>
}>()("causeway/ports/SecretSealing") {}
