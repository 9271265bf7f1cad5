/**
 * Who tells what a transaction costs: one endpoint, or as many hosts as the quorum needs, of which the lowest counts
 * (REFUND-18). The lowest needs no agreement: nodes name different fees at the same moment.
 */
import * as Context from "effect/Context"
import type { ReadBy } from "./ReadBy.ts"

/** Whose word a cost is. Set to `quorum` where one endpoint must not decide; quotes ask one. */
export const CostsBy = Context.Reference<ReadBy>("causeway/ports/CostsBy", { defaultValue: () => "endpoint" })
