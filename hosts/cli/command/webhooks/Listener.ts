/**
 * Receives webhooks on the loopback: checks each signature, hands it on where that is asked for, and answers the service
 * with what the receiver answered, so that the service's retries are those that the receiver causes.
 *
 * SECURITY: what no secret of ours has signed is refused, is handed to nobody, and is told by its reason alone.
 */
import { Effect, Queue } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { verifyWebhook } from "../../../../src/domain/webhook/VerifyWebhook.ts"
import type { WebhookRefusal } from "../../../../src/domain/webhook/VerifyWebhook.ts"
import { ProgramFailed } from "../../Program.ts"

/** What came in, once it is answered. */
export type Heard =
  | {
    readonly _tag: "Genuine"
    readonly body: string
    /** What the receiver answered. Null when there is none, or it does not answer. */
    readonly forwarded: number | null
  }
  | { readonly _tag: "Refused"; readonly reason: WebhookRefusal | "too-large" }

/** Many times the largest event. */
const MAX_BODY = 1_000_000
/** As long as the service waits. */
const PATIENCE_MS = 10_000

const [ACCEPTED, UNAUTHORIZED, TOO_LARGE, BAD_GATEWAY] = [204, 401, 413, 502]

const textOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    length += chunk.length
    if (length > MAX_BODY) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** The headers that a receiver checks. */
const passedOn = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      (name.startsWith("x-signature-") || name === "content-type") && typeof value === "string" ? [[name, value]] : []
    )
  )

const forward = async (request: IncomingMessage, body: string, to: string): Promise<number | null> => {
  try {
    const answer = await fetch(to, {
      method: "POST",
      headers: passedOn(request),
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS)
    })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return null
  }
}

/** How a listener works. */
export interface Listening {
  /** 0: any free port. */
  readonly port: number
  /** Where webhooks are handed on to. */
  readonly forwardTo: string | undefined
  /** Resolves once the secret is known: a webhook may come before the answer that names it. */
  readonly secret: Promise<string>
  readonly heard: Queue.Enqueue<Heard>
}

const respond = async (
  request: IncomingMessage,
  response: ServerResponse,
  { forwardTo, secret }: Listening
): Promise<Heard> => {
  const body = await textOf(request)
  if (body === undefined) {
    response.writeHead(TOO_LARGE, { connection: "close" }).end()
    return { _tag: "Refused", reason: "too-large" }
  }
  const verdict = verifyWebhook({ body, headers: request.headers, secrets: [await secret], now: Date.now() })
  if (!verdict.ok) {
    response.writeHead(UNAUTHORIZED).end()
    return { _tag: "Refused", reason: verdict.reason }
  }
  if (forwardTo === undefined) {
    response.writeHead(ACCEPTED).end()
    return { _tag: "Genuine", body, forwarded: null }
  }
  const forwarded = await forward(request, body, forwardTo)
  response.writeHead(forwarded ?? BAD_GATEWAY).end()
  return { _tag: "Genuine", body, forwarded }
}

const closed = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Listens on the loopback until its scope closes. Returns the port. */
export const listenOn = (listening: Listening) =>
  Effect.acquireRelease(
    Effect.callback<Server, ProgramFailed>((resume) => {
      const server = createServer((request, response) => {
        respond(request, response, listening).then(
          (heard) => Queue.offerUnsafe(listening.heard, heard),
          // The connection broke: the service tries again.
          () => response.destroy()
        )
      })
      server.once("error", ({ message }) =>
        resume(Effect.fail(new ProgramFailed({ reason: "port-in-use", message: `cannot listen: ${message}` }))))
      server.listen(listening.port, "127.0.0.1", () =>
        resume(Effect.succeed(server)))
    }),
    closed
  ).pipe(Effect.map((server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : listening.port
  }))
