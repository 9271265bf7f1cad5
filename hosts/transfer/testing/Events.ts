/** Reads a stream of server-sent events like a browser: every event in order, until the server ends it. */
import { Effect } from "effect"

export interface SentEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

const parse = (block: string): SentEvent => {
  const field = (name: string) =>
    block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ""
  return { event: field("event"), id: field("id"), data: field("data") }
}

/** The events in a complete answer's text. Comments are left out. */
export const eventsOf = (text: string): ReadonlyArray<SentEvent> =>
  text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":")).map(parse)

/** All events until the server closes the stream. */
export const collectEvents = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => eventsOf(await (await fetch(url, { headers })).text()))
