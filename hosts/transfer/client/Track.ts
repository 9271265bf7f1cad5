/**
 * The states of a request as they come: the stream of server-sent events, and polls where there is none, such as behind
 * a proxy that holds streams back.
 */
import { ClientError } from "./ClientError.ts"
import type { Answer } from "./Operations.ts"
import { call, reach } from "./Requests.ts"
import type { Service } from "./Requests.ts"

/** The state of a request: the answer of GET /intents/status. */
export type IntentStatus = Answer<"GET /intents/status">

/** How a request is followed. */
export interface TrackOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds between two polls, 1,000 by default. */
  readonly pollEvery?: number | undefined
  /** How many failures in a row are lived through; without an end by default, because the money moves anyway. */
  readonly patience?: number | undefined
}

const ends: ReadonlySet<string> = new Set(["success", "refund", "failure"])

/** Whether a request has ended. */
export const hasEnded = ({ status }: IntentStatus): boolean => ends.has(status)

const isStatus = (value: unknown): value is IntentStatus =>
  typeof value === "object" && value !== null && "status" in value && typeof value.status === "string"

/** Resolves after so many milliseconds, and rejects when `signal` aborts. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"))
      return
    }
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener("abort", onAbort, { once: true })
  })

/** An event without its last line, or a comment. */
const MAX_EVENT = 1_000_000

/** The `data` of every event. Ends where the stream does. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const events = text.split("\n\n")
      text = events.pop() ?? ""
      if (text.length > MAX_EVENT) throw new ClientError({ kind: "unreachable", message: "an event without an end" })
      for (const event of events) {
        const data = event.split("\n").flatMap((line) => line.startsWith("data: ") ? [line.slice(6)] : [])
        if (data.length > 0) yield data.join("\n")
      }
    }
  } finally {
    // Not awaited: a cancel can wait for another reader of the same body.
    reader.cancel().catch(() => undefined)
  }
}

async function* streamed(service: Service, requestId: string, signal: AbortSignal | undefined) {
  const response = await reach(service, `/intents/status/stream?requestId=${encodeURIComponent(requestId)}`, {
    headers: { accept: "text/event-stream" },
    signal: signal ?? null
  })
  if (!response.ok || response.body === null) return
  for await (const data of eventsOf(response.body)) {
    const status: unknown = JSON.parse(data)
    if (isStatus(status)) yield status
  }
}

const isUnanswered = (error: unknown): boolean =>
  !(error instanceof ClientError) || error.kind === "unavailable" || error.kind === "unreachable"

/**
 * Yields the current state, then every other one, and returns after `success`, `refund` or `failure`. A stream that
 * breaks is followed by polls: no failure of the wire ends it, unless `patience` says so. Rejects when the service
 * refuses the id, and when `signal` aborts.
 */
export async function* track(
  service: Service,
  requestId: string,
  { patience = Infinity, pollEvery = 1_000, signal }: TrackOptions = {}
): AsyncGenerator<IntentStatus, void> {
  let last: string | undefined
  const isNew = (status: IntentStatus): boolean => {
    const text = JSON.stringify(status)
    if (text === last) return false
    last = text
    return true
  }
  try {
    for await (const status of streamed(service, requestId, signal)) {
      if (isNew(status)) yield status
      if (hasEnded(status)) return
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!isUnanswered(error)) throw error
  }
  for (let failures = 0; true;) {
    try {
      const status = await call(service, "GET /intents/status", { query: { requestId } }, { signal })
      failures = 0
      if (isNew(status)) yield status
      if (hasEnded(status)) return
    } catch (error) {
      signal?.throwIfAborted()
      failures += 1
      if (!isUnanswered(error) || failures > patience) throw error
    }
    await pause(pollEvery, signal)
  }
}
