/** What payments need of exchange A's answers, decoded once at the edge: submissions and fees. Pure, total. */
import { Schema } from "effect"

const Text = Schema.String.check(Schema.isMaxLength(1_024))

/** The answer to a signed action. `response` of a refusal is a text for people. */
export const SubmitAnswer = Schema.Union([
  Schema.Struct({ status: Schema.Literal("ok") }),
  Schema.Struct({ status: Schema.Literal("err"), response: Text })
])

/** `fee`: a decimal of USDC that a transfer costs because the recipient's account does not exist yet. */
export const PreTransferAnswer = Schema.Struct({
  fee: Text,
  isSanctioned: Schema.Boolean,
  userExists: Schema.Boolean
})
