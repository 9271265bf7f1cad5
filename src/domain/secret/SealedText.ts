/**
 * The stored form of a sealed secret: `sealed:1:<key id>:<nonce, ciphertext and tag in base64url>`. It names the key
 * that opens it, so two keys can be in use during a rotation. Without a configured key, a secret is stored as it is.
 */
import * as Schema from "effect/Schema"

/** Identifies a key without revealing it: 16 hex digits. */
export const SecretsKeyId = Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)).pipe(Schema.brand("SecretsKeyId"))
export type SecretsKeyId = typeof SecretsKeyId.Type

export interface SealedText {
  readonly keyId: SecretsKeyId
  readonly box: string
}

const FORM = /^sealed:1:([0-9a-f]{16}):([A-Za-z0-9_-]+)$/

/** True for a text that claims to be sealed. One in an unknown form was written by a later version, or is damaged. */
export const isSealed = (text: string): boolean => text.startsWith("sealed:")

export const sealedText = ({ box, keyId }: SealedText): string => `sealed:1:${keyId}:${box}`

/** Undefined when the text has no known form. */
export const parseSealed = (text: string): SealedText | undefined => {
  const [, keyId = "", box = ""] = FORM.exec(text) ?? []
  return box === "" ? undefined : { keyId: SecretsKeyId.make(keyId), box }
}
