/**
 * What stands in the store for a secret that is sealed: `sealed:1:<key id>:<nonce, ciphertext and tag in base64url>`.
 * Says which key opens it, so that two keys can be in use while one follows the other. Without a key a secret stands
 * there as it is.
 */
import * as Schema from "effect/Schema"

/** Names a key without telling it: 16 hex digits. */
export const SecretsKeyId = Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/)).pipe(Schema.brand("SecretsKeyId"))
export type SecretsKeyId = typeof SecretsKeyId.Type

export interface SealedText {
  readonly keyId: SecretsKeyId
  readonly box: string
}

const FORM = /^sealed:1:([0-9a-f]{16}):([A-Za-z0-9_-]+)$/

/** Of a text that claims to be sealed; another form than ours is a later version's, or damaged. */
export const isSealed = (text: string): boolean => text.startsWith("sealed:")

export const sealedText = ({ box, keyId }: SealedText): string => `sealed:1:${keyId}:${box}`

/** Undefined when the text is of no form that is known here. */
export const parseSealed = (text: string): SealedText | undefined => {
  const [, keyId = "", box = ""] = FORM.exec(text) ?? []
  return box === "" ? undefined : { keyId: SecretsKeyId.make(keyId), box }
}
