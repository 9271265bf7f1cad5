/** Requests to this service. Paths are relative to the page, because a proxy may serve it below a path. */
import { messageOf } from "./Decode.ts"
import type { Decode } from "./Decode.ts"

/** The service said no; `message` is for people. */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Method = "GET" | "POST" | "PUT" | "DELETE"

interface Sent {
  readonly body?: unknown
  /** The key that the request is about, one of the session's. */
  readonly key?: string
}

/** Of the session; every change repeats it. It lives in this page's memory only. */
const held: { csrf: string | null; ended: () => void } = { csrf: null, ended: () => undefined }

/** `ended`: called when the service no longer knows the session. */
export const holdSession = (csrf: string | null, ended: () => void): void => {
  held.csrf = csrf
  held.ended = ended
}

export const call = async <A>(
  decode: Decode<A>,
  method: Method,
  path: string,
  { body, key }: Sent = {}
): Promise<A> => {
  const response = await fetch(path, {
    method,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "x-dashboard-key": key }),
      ...(held.csrf === null ? {} : { "x-dashboard-csrf": held.csrf })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }).catch(() => {
    throw new Refused(0, "the service does not answer: try again")
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok || (path === "ready" && response.status === 503)) return decode(answer)
  if (response.status === 401 && held.csrf !== null && path.startsWith("dashboard/")) held.ended()
  throw new Refused(response.status, messageOf(answer) ?? `the service answers with status ${response.status}`)
}

/** A route of the API, with the session's authority. */
export const callApi = <A>(decode: Decode<A>, method: Method, path: string, sent: Sent = {}): Promise<A> =>
  call(decode, method, `dashboard/api/${path}`, sent)

/** A query of the members that are not empty. */
export const queryOf = (members: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== "") query.set(name, value)
  }
  const said = query.toString()
  return said === "" ? "" : `?${said}`
}

/** What went wrong, for people. */
export const problemOf = (cause: unknown): string => messageOf(cause) ?? "something went wrong"
