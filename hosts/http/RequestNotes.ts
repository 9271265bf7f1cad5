/**
 * What a handler adds to its request's access line: the transfer that the request is about, so that one id finds its
 * requests and the work of the worker; and on whose API key it came. SECURITY: notes are logged; only ids and names of
 * ours are noted, of a key its label.
 */
import { Context, Effect } from "effect"

/** Undefined where nothing is logged of a request. */
export const RequestNotes = Context.Reference<Map<string, string> | undefined>("causeway/http/RequestNotes", {
  defaultValue: () => undefined
})

/** Notes which transfer the request is about, by the request id of the API. */
export const noteTransfer = (requestId: string): Effect.Effect<void> =>
  Effect.map(RequestNotes, (notes) => {
    notes?.set("requestId", requestId)
  })

/** Notes the label of the caller's API key; an operator chose it, so the metrics may have it as a label, too. */
export const noteCaller = (label: string): Effect.Effect<void> =>
  label === "" ? Effect.void : Effect.map(RequestNotes, (notes) => {
    notes?.set("caller", label)
  })
