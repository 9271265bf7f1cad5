/** One request of the API by `fetch`: the URL, the body, the answer's JSON or a `ClientError`. */
import { ClientError } from "./ClientError.ts"
import type { Answer, Input, Operation } from "./Operations.ts"

export interface Service {
  /** Such as `https://api.example.com`; a path is kept. */
  readonly url: string
  /** Sent as `x-api-key`. Keep it on a server: who has it spends the sponsor's money. */
  readonly apiKey?: string | undefined
  readonly fetch: typeof fetch
}

/** How a request is made. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The same key and body gives the stored answer for 24 hours. */
  readonly idempotencyKey?: string | undefined
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null

const textOf = (members: Members, name: string): string | undefined => {
  const value = members[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** The URL of a path, relative to the service's. */
export const addressOf = (service: Service, path: string): string => `${service.url.replace(/\/+$/, "")}${path}`

/** `fetch`, whose failures are `unreachable`. An abort stays the caller's own error. */
export const reach = async (service: Service, path: string, init: RequestInit): Promise<Response> => {
  const headers = new Headers(init.headers)
  if (service.apiKey !== undefined) headers.set("x-api-key", service.apiKey)
  try {
    // Without its owner: a browser's fetch must not be called as a method.
    const { fetch } = service
    return await fetch(addressOf(service, path), { ...init, headers, redirect: "error" })
  } catch (cause) {
    init.signal?.throwIfAborted()
    throw new ClientError({ kind: "unreachable", message: `no answer from ${addressOf(service, path)}`, cause })
  }
}

/** What the service said instead of an answer. */
export const refusalOf = async (response: Response): Promise<ClientError> => {
  const body: unknown = await response.json().catch(() => undefined)
  const members = isMembers(body) ? body : {}
  const said = textOf(members, "message")
  const again = Number(response.headers.get("retry-after") ?? "")
  const isPassing = response.status === 429 || response.status >= 500
  return new ClientError({
    kind: said === undefined ? "unreachable" : isPassing ? "unavailable" : "refused",
    message: said ?? `the answer, with status ${response.status}, is not the service's`,
    status: response.status,
    code: textOf(members, "errorCode") ?? textOf(members, "code"),
    field: textOf(members, "errorData"),
    requestId: textOf(members, "requestId"),
    retryAfterSeconds: again > 0 ? again : undefined
  })
}

/** A member of a path or a query. */
const written = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const queryOf = (query: Members): string => {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) text.set(name, written(value))
  return text.size === 0 ? "" : `?${text.toString()}`
}

/** The method, and the path with its members and query filled in. */
const targetOf = (operation: string, input: Members): readonly [method: string, path: string] => {
  const space = operation.indexOf(" ")
  const params = isMembers(input["params"]) ? input["params"] : {}
  const path = operation.slice(space + 1).replaceAll(
    /:([A-Za-z]+)/g,
    (_, name: string) => encodeURIComponent(written(params[name]))
  )
  return [operation.slice(0, space), `${path}${queryOf(isMembers(input["query"]) ? input["query"] : {})}`]
}

/**
 * SECURITY: that a body has the shape that the definition promises is taken from the service: a client that pays by a
 * quote verifies it, which decodes every member.
 */
const isAnswer = <Name extends Operation>(value: unknown): value is Answer<Name> => isMembers(value)

/** Calls an operation of the API. Rejects with a `ClientError`. */
export const call = async <Name extends Operation>(
  service: Service,
  operation: Name,
  input: Input<Name>,
  { idempotencyKey, signal }: CallOptions = {}
): Promise<Answer<Name>> => {
  const members: Members = isMembers(input) ? input : {}
  const [method, path] = targetOf(operation, members)
  const hasBody = members["body"] !== undefined
  const response = await reach(service, path, {
    method,
    headers: {
      accept: "application/json",
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
    },
    ...(hasBody ? { body: JSON.stringify(members["body"]) } : {}),
    signal: signal ?? null
  })
  if (!response.ok) throw await refusalOf(response)
  const body: unknown = await response.json().catch(() => undefined)
  if (isAnswer<Name>(body)) return body
  throw new ClientError({
    kind: "unreachable",
    message: `what ${addressOf(service, path)} answers is not the service's`,
    status: response.status
  })
}
