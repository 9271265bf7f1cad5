/**
 * Which looks at a chain ask its quorum although one endpoint would do. An endpoint that hides something would
 * otherwise keep a wait from ever ending.
 */
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"

const EVERY = 16

/** `look` counts from zero: the first fifteen are one endpoint's. */
export const readByOf = (look: number): ReadBy => look % EVERY === EVERY - 1 ? "quorum" : "endpoint"
