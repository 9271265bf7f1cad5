/** What a quote from the Bitcoin chain asks its user to sign. */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Schema } from "effect"
import { orderIdIn } from "../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { readPsbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import type { Quote } from "../../../src/domain/quote/wire/Quote.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({ psbt: Schema.String }))

/** The PSBT in hex, and the order that it names. One that pays a deposit address names none: the quote does. */
export const askedToSign = (quote: Quote): { readonly psbt: string; readonly orderId: string } => {
  const { psbt } = decode(quote.steps[0]?.items[0]?.data)
  const outputs = readPsbt(hexToBytes(psbt))?.transaction.outputs ?? []
  const [orderId = quote.protocol?.v2.orderId ?? ""] = outputs.flatMap(({ script }) => orderIdIn(script) ?? [])
  return { psbt, orderId }
}
