/**
 * Which checks of a wait ask the quorum although one endpoint would do. Otherwise an endpoint that hides something
 * could keep the wait from ever ending.
 */
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"

const EVERY = 16

/** `look` counts the checks from zero. The first fifteen ask one endpoint. */
export const readByOf = (look: number): ReadBy => look % EVERY === EVERY - 1 ? "quorum" : "endpoint"
