/** The answers of a Tron node about accounts, and about calls that it tries, decoded once at the edge. Pure, total. */
import { Schema } from "effect"
import { RawLog } from "./PaymentAnswers.ts"

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** Without members for an account that does not exist. Sun. */
export const RawAccount = Schema.Struct({
  address: Schema.optionalKey(Schema.String),
  balance: Schema.optionalKey(Count),
  type: Schema.optionalKey(Schema.String)
})

/** `code`: the call cannot be tried at all. `message` without it: the call was tried and reverts. */
export const RawTrial = Schema.Struct({
  result: Schema.Struct({
    result: Schema.optionalKey(Schema.Boolean),
    code: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String)
  }),
  energy_used: Schema.optionalKey(Count),
  logs: Schema.optionalKey(Schema.Array(RawLog)),
  constant_result: Schema.optionalKey(Schema.Array(Schema.String.check(Schema.isPattern(/^(?:[0-9a-fA-F]{2})*$/))))
})
