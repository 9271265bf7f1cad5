/**
 * A closed-loop HTTP load: so many keep-alive connections, each with one request on its way, for so long.
 *
 * Sockets and a minimal reading of answers, because a full client would be slower than the servers it measures. Answers
 * must have a Content-Length; any that is not 200 is counted as a failure.
 */
import { connect } from "node:net"

export interface Load {
  readonly host: string
  readonly port: number
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connections: number
  readonly ms: number
}

export interface Measured {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly failures: number
  readonly bytes: number
}

const requestOf = ({ body = "", headers = {}, host, method, path, port }: Load): Buffer => {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(method === "POST" ? ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  ]
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`)
}

const HEAD_END = Buffer.from("\r\n\r\n")

/** Length of the whole answer at the start of the buffer, or undefined while its head is incomplete. */
const lengthOf = (received: Buffer): number | undefined => {
  const end = received.indexOf(HEAD_END)
  if (end < 0) return undefined
  const match = /content-length: (\d+)/i.exec(received.toString("latin1", 0, end))
  if (match === null) throw new Error("an answer without Content-Length")
  return end + HEAD_END.length + Number(match[1])
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** Runs the load and says what came of it. */
export const closedLoop = (load: Load): Promise<Measured> => {
  const request = requestOf(load)
  const latencies: Array<number> = []
  let failures = 0
  let bytes = 0
  const from = performance.now()
  const until = from + load.ms
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: load.host, port: load.port, noDelay: true })
      let received: Buffer = Buffer.alloc(0)
      let sent = 0
      const send = () => {
        sent = performance.now()
        socket.write(request)
      }
      socket.on("connect", send)
      socket.on("error", reject)
      socket.on("data", (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const length = lengthOf(received)
        if (length === undefined || received.length < length) return
        const now = performance.now()
        latencies.push(now - sent)
        bytes += length
        if (received.toString("latin1", 9, 12) !== "200") failures += 1
        received = received.subarray(length)
        if (now < until) return send()
        socket.end()
        resolve()
      })
    })
  return Promise.all(Array.from({ length: load.connections }, one)).then(() => {
    const seconds = (performance.now() - from) / 1000
    const sorted = latencies.toSorted((left, right) => left - right)
    return { perSecond: latencies.length / seconds, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), failures, bytes }
  })
}
