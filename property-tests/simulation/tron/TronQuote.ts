/** What a quote from the Tron chain asks its user to sign. */
import { Schema } from "effect"
import type { Quote } from "../../../src/domain/quote/wire/Quote.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({ parameter: Schema.Struct({ data: Schema.String }) }))

/** The order that the call of the depository names: its second argument. */
export const orderOf = (quote: Quote): string => {
  const { parameter: { data } } = decode(quote.steps[0]?.items[0]?.data)
  return `0x${data.slice(72)}`
}
