/** A question to POST /quote. */

/** What is asked, beside the usual; undefined takes a usual member away. */
export type Ask = Readonly<Record<string, unknown>>
