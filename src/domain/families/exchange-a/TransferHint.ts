/**
 * A hint of where to look for a transfer on exchange A (EVIDENCE-5): an account whose ledger has it, and its time in
 * milliseconds.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Address } from "../../chain/Address.ts"

const User = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)).pipe(
  Schema.decodeTo(
    Address,
    SchemaTransformation.transform({ decode: (text) => text.toLowerCase(), encode: (text: string) => text })
  )
)

export const TransferHint = Schema.Struct({
  user: User,
  timestamp: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
})
