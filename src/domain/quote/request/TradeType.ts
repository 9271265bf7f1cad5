/** What the `amount` of a request refers to (REQUEST-2, PRICE-14). */
import * as Schema from "effect/Schema"

/** Which amount of a request is fixed: the input, the output, or the output as expected. */
export const TradeType = Schema.Literals(["EXACT_INPUT", "EXACT_OUTPUT", "EXPECTED_OUTPUT"])
export type TradeType = typeof TradeType.Type
