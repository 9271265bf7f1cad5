/**
 * Bytes that are no withdrawal of the family, or one that pays nothing that can be attested.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FamilyName } from "../../chain/VmFamily.ts"

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

/** Names any error of a codec after the withdrawal it was found in. */
export const asInvalidWithdrawal = (family: FamilyName) => (cause: { readonly message: string }): InvalidWithdrawal =>
  new InvalidWithdrawal({ family, reason: cause.message })
