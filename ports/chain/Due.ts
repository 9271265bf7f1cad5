/**
 * What a reading is for. Where a chain answers a limited number of questions, those for quotes, which strangers ask for,
 * take a part of it only.
 */
import * as Context from "effect/Context"

/**
 * Whether a reading is for money that is due, or for the operator: a deposit that is being decided, a refund, a fill's
 * inventory. Not for a quote.
 */
export const Due = Context.Reference<boolean>("causeway/ports/Due", { defaultValue: () => false })
