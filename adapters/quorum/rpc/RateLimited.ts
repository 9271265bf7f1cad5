/**
 * Whether a node or its provider has refused because it is asked too much, not because of the question. Providers say so
 * by HTTP status 429, but also by an error inside an answer with status 200: for one call of a batch, or in words of
 * their own. Pure, total.
 *
 * SECURITY: a refused question is asked in a smaller form, and what is never told is no claim that there is nothing
 * (EVM-7, TRON-28). A limit must not count as that: the same question is answered a moment later, or by the next
 * endpoint. Words that may mean a range of blocks, or too many results, are not here: those questions have to shrink.
 * Nor does a text count that a contract may have chosen: a stranger's revert must not make endpoints look busy.
 */
import { Schema } from "effect"

export const TOO_MANY_REQUESTS = 429

const LIMITED = new RegExp(
  [
    "rate.?limit",
    "too many requests",
    "compute units",
    "credits limited",
    "(?:requests?|calls) per (?:second|minute|day)",
    "request limit reached",
    "request count exceeded",
    "(?:capacity|usage|frequency|rps) limit",
    "allowed_rps",
    "query frequency",
    "daily usage",
    "lack of computing resources"
  ].join("|"),
  "i"
)

/** By what a provider says. */
export const saysRateLimited = (words: string): boolean => LIMITED.test(words)

const isNodeError = Schema.is(
  Schema.Struct({ code: Schema.Unknown, message: Schema.String, data: Schema.optionalKey(Schema.Unknown) })
)

/** How a call ended: then a contract may have chosen the words. */
const EXECUTED = /revert|execut|opcode|\bvm\b|\bevm\b/i

/** What a call has returned. Nodes of Tron send `{}` with every error. */
const RETURNED = /0x|revert/i

/** By the error of one JSON-RPC call. */
export const isRateLimited = (error: unknown): boolean => {
  if (!isNodeError(error)) return false
  const { code, data, message } = error
  if (code === TOO_MANY_REQUESTS) return true
  const isOfCall = code === 3 || (typeof data === "string" && RETURNED.test(data)) || EXECUTED.test(message)
  return !isOfCall && saysRateLimited(message)
}
