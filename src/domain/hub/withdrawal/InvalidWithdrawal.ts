/** The bytes are not a withdrawal of the family, or its payment cannot be attested. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FamilyName } from "../../chain/VmFamily.ts"

/** Bytes that are no withdrawal of the family, or one that does not make exactly one payment. */
export class InvalidWithdrawal extends Schema.TaggedError<InvalidWithdrawal>()("InvalidWithdrawal", {
  family: FamilyName,
  reason: Schema.String
}) {
  override get message(): string {
    return `invalid ${this.family} withdrawal: ${this.reason}`
  }
}

/** A failure with its reason. */
export const invalidWithdrawal = (family: FamilyName, reason: string): Result.Result<never, InvalidWithdrawal> =>
  Result.fail(new InvalidWithdrawal({ family, reason }))

/** Turns any error of a codec into an invalid withdrawal of the family. */
export const asInvalidWithdrawal = (family: FamilyName) => (cause: { readonly message: string }): InvalidWithdrawal =>
  new InvalidWithdrawal({ family, reason: cause.message })
