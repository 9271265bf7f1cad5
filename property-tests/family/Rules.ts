/** The laws of `FamilyRules`: one spelling for each address, currency and transaction id, and no throw for any text. */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { FamilyRules } from "../../src/domain/families/FamilyRules.ts"
import { type Law, law, must } from "../Law.ts"

/** What a family provides: its own addresses and ids, as bytes. */
export interface RulesUnderTest {
  readonly rules: FamilyRules
  /** Bytes of an account. */
  readonly account: fc.Arbitrary<Uint8Array>
  /** Any accepted text of a transaction id. */
  readonly transactionId: fc.Arbitrary<string>
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** Laws of the pure half of a family, `FamilyRules`. */
export const familyRulesLaws = ({ account, rules, transactionId }: RulesUnderTest): ReadonlyArray<Law> => {
  const codec = rules.addresses("mainnet")
  const garbage = fc.string({ maxLength: 200 })
  return [
    law(
      `an address of ${rules.name} has one spelling, and its bytes lead back to it`,
      fc.property(account, (bytes) => {
        const text = Result.getOrThrow(codec.fromBytes(bytes))
        must(Result.getOrThrow(codec.parse(text)) === text, "its spelling is not canonical")
        must(sameBytes(Result.getOrThrow(codec.toBytes(text)), bytes), "its bytes are others")
      })
    ),
    law(
      "text that is no address, currency or id is an error, and never throws",
      fc.property(garbage, (text) => {
        const [account, currency] = [codec.parse(text), codec.parseCurrency(text)]
        must(Result.isFailure(account) || account.success.length > 0, "an empty address")
        must(Result.isFailure(currency) || currency.success.length > 0, "an empty currency")
        const id = rules.transactionIds.read(text)
        must(id === undefined || rules.transactionIds.read(id.id)?.id === id.id, "an id that is none")
      })
    ),
    law(
      "a transaction id has one spelling, and its bytes are its own",
      fc.property(transactionId, transactionId, (one, other) => {
        const [first, second] = [rules.transactionIds.read(one), rules.transactionIds.read(other)]
        must(first !== undefined && second !== undefined, "an id is refused")
        if (first === undefined || second === undefined) return
        must((first.id === second.id) === sameBytes(first.bytes, second.bytes), "two ids have the same bytes")
      })
    ),
    law(
      "the sentinel of the native currency stands for a recipient, too (CLAIM-4)",
      fc.property(fc.constant(codec.nativeCurrency), (native) => {
        must(Result.isSuccess(codec.toBytes(native)), "an order cannot name the depositor")
        must(Result.getOrThrow(codec.parseCurrency(native)) === native, "its spelling is not canonical")
      })
    )
  ]
}
