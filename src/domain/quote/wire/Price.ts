/** The answer of POST /price (QUOTE-8): what a quote would say, without the steps and the order that bind the solver. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Quote } from "./Quote.ts"

export const Price = Schema.Struct(Struct.omit(Quote.fields, ["steps", "protocol"]))
export type Price = typeof Price.Type
