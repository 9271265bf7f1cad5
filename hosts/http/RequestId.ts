/**
 * The id of an HTTP request, `x-request-id`: the caller's own when it is sane, else one of ours. It is answered, and
 * every log line of the request carries it. Not the request id of the API, which is the transfer's name for its whole
 * life.
 */
import { randomUUID } from "node:crypto"

/** What may stand in a header and in a log line as it is: no quotes, no spaces, nothing long. */
const sane = /^[A-Za-z0-9._-]{1,128}$/u

export const requestIdOf = (inbound: string | undefined): string =>
  inbound !== undefined && sane.test(inbound) ? inbound : randomUUID()
