/**
 * Hints of a request about where to look for transactions, by the name of a family (EVIDENCE-5), never about their
 * contents. A transaction found by a hint is one endpoint's answer and counts in the quorum like any other. A wrong hint
 * finds nothing. Each family reads its own (`FamilyRules.hint`).
 */
import type * as Schema from "effect/Schema"

export type Hints = { readonly [family: string]: Schema.Json }
