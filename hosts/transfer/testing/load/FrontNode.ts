/**
 * A program in front of local nodes that counts what a host asks them, in a process of its own, so that its work is not
 * among the host's. `/<port>` leads to the node on that port, and `/<port>/<chain>/<block time>` to a copy of it: a chain
 * of this id with a block every so many milliseconds.
 *
 * For all copies together the node behind is asked each question once a block, so that it does not bound how many are
 * served. `GET /` answers the counts since the last such request.
 */
import { Schema } from "effect"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

const Call = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Unknown)
})
const decodeBody = Schema.decodeUnknownPromise(Schema.fromJsonString(Schema.Union([Schema.Array(Call), Call])))
const decodeAnswer = Schema.decodeUnknownPromise(Schema.Struct({ result: Schema.optionalKey(Schema.Unknown) }))

/** The most answers that are remembered. */
const REMEMBERED = 10_000

let requests = 0
/** Requests by the methods that they call together. */
const calls = new Map<string, number>()
const known = new Map<string, Promise<unknown>>()

const send = async (port: string, body: string): Promise<unknown> => {
  const answer = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body
  })
  return answer.json()
}

const ask = async (port: string, method: string, params: unknown): Promise<unknown> =>
  (await decodeAnswer(await send(port, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })))).result ?? null

interface Copy {
  readonly port: string
  readonly chain: number
  readonly blockTimeMs: number
}

const copied = ({ blockTimeMs, chain, port }: Copy, method: string, params: unknown): Promise<unknown> => {
  if (method === "eth_chainId") return Promise.resolve(`0x${chain.toString(16)}`)
  const key = JSON.stringify([port, blockTimeMs, Math.floor(Date.now() / blockTimeMs), method, params])
  const asked = known.get(key) ?? ask(port, method, params)
  if (known.size > REMEMBERED) known.clear()
  known.set(key, asked)
  return asked
}

const answered = async (path: string, body: string): Promise<unknown> => {
  const [, port = "", chain, blockTime] = path.split("/")
  const decoded = await decodeBody(body)
  const asked = "method" in decoded ? [decoded] : decoded
  requests += 1
  const together = asked.map(({ method }) => method).join(" ")
  calls.set(together, (calls.get(together) ?? 0) + 1)
  if (chain === undefined) return send(port, body)
  const copy = { port, chain: Number(chain), blockTimeMs: Number(blockTime) }
  const answers = await Promise.all(asked.map(async ({ id, method, params }) => ({
    jsonrpc: "2.0",
    id,
    result: await copied(copy, method, params)
  })))
  return "method" in decoded ? answers[0] : answers
}

const taken = () => {
  const counts = { requests, calls: [...calls] }
  requests = 0
  calls.clear()
  return counts
}

const server = createServer((request, response) => {
  const say = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  if (request.method === "GET") return void say(200, taken())
  void text(request).then((body) => answered(request.url ?? "/", body)).then(
    (answer) => say(200, answer),
    (failure: unknown) => say(502, String(failure))
  )
})
// A connection that waits for long is not closed just when it is used again.
server.keepAliveTimeout = 0
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`listening on ${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
