/** A peer that answers as a test tells it to: an HTTP server in front of a real oracle, honest by default. */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"

export interface Asked {
  readonly path: string
  readonly key: string | undefined
  readonly body: string
}

export interface Truth {
  readonly status: number
  readonly text: string
}

/** How a question is answered; `truth` gives the answer of the oracle behind it. */
export type Behaviour = (response: ServerResponse, truth: () => Promise<Truth>) => Promise<void>

const answer = (response: ServerResponse, { status, text }: Truth) => {
  response.writeHead(status, { "content-type": "application/json" }).end(text)
}

export const honest: Behaviour = async (response, truth) => answer(response, await truth())

/** The true answer with its body changed. */
export const changed = (change: (body: string) => string): Behaviour => async (response, truth) => {
  const { status, text } = await truth()
  answer(response, { status, text: change(text) })
}

export const silent: Behaviour = async () => undefined

/** Sends without end, as fast as the answer is read. */
export const flooding: Behaviour = async (response) => {
  const chunk = `"${"a".repeat(65_534)}"`
  response.writeHead(200, { "content-type": "application/json" })
  const pour = () => {
    while (!response.destroyed && response.write(chunk)) flooded += chunk.length
    flooded += chunk.length
    if (!response.destroyed) response.once("drain", pour)
  }
  pour()
}

let flooded = 0
/** Bytes that all floods have sent so far. */
export const floodedBytes = (): number => flooded

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export interface FalsePeer {
  readonly url: string
  /** The peer's name in metrics. */
  readonly name: string
  readonly behave: (behaviour: Behaviour) => void
  /** Every question that it was asked. */
  readonly asked: () => ReadonlyArray<Asked>
  /** The number of questions that are neither answered nor cancelled. */
  readonly pending: () => number
}

/** A peer in front of the oracle at `target`, which it calls with `key`. Ends with the scope. */
export const falsePeer = (target: string, key: string, behaviour: Behaviour = honest) =>
  Effect.acquireRelease(
    Effect.callback<FalsePeer & { readonly close: () => void }>((resume) => {
      let behave = behaviour
      let pending = 0
      const asked: Array<Asked> = []
      const server = createServer((request, response) => {
        pending += 1
        response.once("close", () => {
          pending -= 1
        })
        const path = request.url ?? ""
        const answered = async () => {
          const body = await bodyOf(request)
          asked.push({ path, key: request.headers["x-api-key"]?.toString(), body })
          const truth = async (): Promise<Truth> => {
            const said = await fetch(`${target}${path}`, {
              method: "POST",
              headers: { "content-type": "application/json", "x-api-key": key },
              body
            })
            return { status: said.status, text: await said.text() }
          }
          await behave(response, truth)
        }
        answered().catch(() => response.destroy())
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const name = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        resume(Effect.succeed({
          url: `http://${name}`,
          name,
          behave: (next: Behaviour) => {
            behave = next
          },
          asked: () => asked,
          pending: () => pending,
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
