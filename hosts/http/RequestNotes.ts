/**
 * Notes of a handler for its request's access line: the API key that was used, and the transfer that the request is
 * about, so that one id finds its requests and the worker's work. SECURITY: notes are logged. Only ids and names of
 * ours are noted; of a key only its label.
 */
import { Context, Effect } from "effect"

/** Undefined when nothing is logged for the request. */
export const RequestNotes = Context.Reference<Map<string, string> | undefined>("causeway/http/RequestNotes", {
  defaultValue: () => undefined
})

/** Notes the transfer that the request is about, by the API's request id. */
export const noteTransfer = (requestId: string): Effect.Effect<void> =>
  Effect.map(RequestNotes, (notes) => {
    notes?.set("requestId", requestId)
  })

/** Notes the label of the caller's API key. An operator chose it, so it may be a label of metrics too. */
export const noteCaller = (label: string): Effect.Effect<void> =>
  label === "" ? Effect.void : Effect.map(RequestNotes, (notes) => {
    notes?.set("caller", label)
  })
