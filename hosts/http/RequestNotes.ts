/**
 * What a handler adds to its request's access line: the transfer that the request is about, so that one id finds its
 * requests and the work of the worker. SECURITY: notes are logged; only ids and names of ours are noted.
 */
import { Context, Effect } from "effect"

/** Undefined where nothing is logged of a request. */
export const RequestNotes = Context.Reference<Map<string, string> | undefined>("causeway/http/RequestNotes", { defaultValue: () => undefined })

/** Notes which transfer the request is about, by the request id of the API. */
export const noteTransfer = (requestId: string): Effect.Effect<void> =>
  Effect.map(RequestNotes, (notes) => { notes?.set("requestId", requestId) })
