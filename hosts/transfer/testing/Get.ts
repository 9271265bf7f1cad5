/** A GET, or another request without a body, as any client makes it: status, headers and text. */
import { Effect } from "effect"

export interface Answer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly text: string
  readonly json: () => unknown
}

/**
 * Fetches over a connection of its own. A server may close one that was kept just as the next request goes out, and on a
 * busy machine it does.
 */
export const fetchOnce = (url: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers)
  headers.set("connection", "close")
  return fetch(url, { ...init, headers })
}

export const get = (url: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetchOnce(url, init)
    const text = await response.text()
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      headers: response.headers,
      text,
      json: (): unknown => JSON.parse(text)
    }
  })
