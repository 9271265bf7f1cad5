/** A question to POST /quote. */

/** Changes to the usual question. Undefined removes a usual member. */
export type Ask = Readonly<Record<string, unknown>>
