/**
 * A block as rows and steps of workflows have it: a `BlockRef`, whose hash may be any text. What was stored must stay
 * readable, so it is not as strict as evidence.
 */
import * as Schema from "effect/Schema"
import { BlockRef } from "../../evidence/BlockRef.ts"

/** Height, hash, and the block's own time in seconds. */
export const StoredBlockRef = Schema.Struct({ ...BlockRef.fields, hash: Schema.String })
