/** The reason why a key cannot sign now. Nothing in it identifies a key. */
import * as Schema from "effect/Schema"

/** What prevents a key from signing. Only the first, `unreachable`, can pass by itself. */
export const SignerFault = Schema.Literals(["unreachable", "refused", "unsuitable-key", "foreign-signature"])
export type SignerFault = typeof SignerFault.Type

/** What an operator should do. No text identifies a key. */
const meanings: { readonly [F in SignerFault]: string } = {
  unreachable: "the signer does not answer now; try again",
  refused:
    "the service that holds the signer's key refuses: check the key's id and region, the credentials, and that they may read and use the key",
  "unsuitable-key": "the signer's key is not a secp256k1 key for signatures",
  "foreign-signature": "the signature is not the signer's: the service that holds the key signs with another key"
}

/** The key could not be used. Retrying is safe, and helps when the fault is `unreachable`. */
export class SignerUnavailable
  extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", { fault: SignerFault })
{
  override get message(): string {
    return meanings[this.fault]
  }
}
