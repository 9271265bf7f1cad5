/** A GET, or another request without a body, as any client makes it: status, headers and text. */
import { Effect } from "effect"

export interface Answer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly text: string
  readonly json: () => unknown
}

export const get = (url: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(url, init)
    const text = await response.text()
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      headers: response.headers,
      text,
      json: (): unknown => JSON.parse(text)
    }
  })
