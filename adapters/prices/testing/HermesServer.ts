/**
 * A server that speaks the interface of Hermes (`GET /v2/updates/price/latest`), for tests: its feeds, its refusals, and
 * its faults are set from outside. It is no Hermes: nothing that it tells is signed.
 */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"

/** The price part of a feed's update, as Hermes writes it. */
export interface ToldPrice {
  readonly price: unknown
  readonly conf: unknown
  readonly expo: unknown
  readonly publish_time: unknown
}

export interface HermesServer {
  readonly url: string
  /** By id, without 0x. */
  readonly feeds: Map<string, ToldPrice>
  /** Ids for which the whole request is refused with this status. */
  readonly refused: Map<string, number>
  /** Answers in place of the usual one. */
  readonly fault: { answer: ((response: ServerResponse, usual: object) => void) | undefined }
  /** The ids of each request, and its authorization. */
  readonly asked: Array<{ readonly ids: ReadonlyArray<string>; readonly authorization: string | undefined }>
}

const updateOf = (id: string, price: ToldPrice) => ({
  id,
  price,
  ema_price: price,
  metadata: { slot: 1, proof_available_time: price.publish_time, prev_publish_time: price.publish_time }
})

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const answer = ({ asked, fault, feeds, refused }: HermesServer, request: IncomingMessage, response: ServerResponse) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://hermes")
  const ids = searchParams.getAll("ids[]")
  asked.push({ ids, authorization: request.headers.authorization })
  if (pathname !== "/hermes/v2/updates/price/latest") return json(response, 404, "no such path")
  const usual = {
    binary: { encoding: "hex", data: ["504e4155"] },
    parsed: ids.flatMap((id) => {
      const price = feeds.get(id)
      return price === undefined ? [] : [updateOf(id, price)]
    })
  }
  if (fault.answer !== undefined) return fault.answer(response, usual)
  const status = ids.flatMap((id) => refused.get(id) ?? [])[0]
  if (status === undefined) return json(response, 200, usual)
  return response.writeHead(status, { "content-type": "text/plain" }).end(`Price ids not found: ${ids.join(", ")}`)
}

/** Ends with the scope. */
export const startHermes = Effect.acquireRelease(
  Effect.promise(() =>
    new Promise<{ readonly hermes: HermesServer; readonly close: () => void }>((resolve) => {
      const server = createServer((request, response) => answer(hermes, request, response))
      const hermes = { url: "", feeds: new Map(), refused: new Map(), fault: { answer: undefined }, asked: [] }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        if (address === null || typeof address === "string") throw new Error("no port")
        resolve({
          hermes: Object.assign(hermes, { url: `http://127.0.0.1:${address.port}/hermes` }),
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })
      })
    })
  ),
  ({ close }) => Effect.sync(close)
).pipe(Effect.map(({ hermes }) => hermes))
