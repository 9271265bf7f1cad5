/** Why a key does not sign now. Nothing of it names a key. */
import * as Schema from "effect/Schema"

/** What keeps a key from signing: only the first passes by itself. */
export const SignerFault = Schema.Literals(["unreachable", "refused", "unsuitable-key", "foreign-signature"])
export type SignerFault = typeof SignerFault.Type

/** What an operator is to do; nothing of it names a key. */
const meanings: { readonly [F in SignerFault]: string } = {
  unreachable: "the signer does not answer now; try again",
  refused:
    "the service that holds the signer's key refuses: check the key's id and region, the credentials, and that they may read and use the key",
  "unsuitable-key": "the signer's key is no secp256k1 key for signatures",
  "foreign-signature": "what was signed is not the signer's: the service that holds the key signs with another one"
}

/** The key could not be used; trying again is safe, and helps where the fault is `unreachable`. */
export class SignerUnavailable
  extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", { fault: SignerFault })
{
  override get message(): string {
    return meanings[this.fault]
  }
}
