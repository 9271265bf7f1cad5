/**
 * The id of an HTTP request, `x-request-id`: the caller's own when it is well-formed, otherwise a new one. The answer
 * and every log line of the request carry it. Not the API's request id, which names a transfer for its whole life.
 */
import { randomUUID } from "node:crypto"

/** Safe in a header and in a log line: no quotes, no spaces, bounded length. */
const sane = /^[A-Za-z0-9._-]{1,128}$/u

export const requestIdOf = (inbound: string | undefined): string =>
  inbound !== undefined && sane.test(inbound) ? inbound : randomUUID()
