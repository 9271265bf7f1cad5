/**
 * A closed-loop HTTP load: a number of keep-alive connections, each with one request in flight, for a given time.
 *
 * Uses sockets and a minimal parser, because a full client would be slower than the servers it measures. Answers must
 * have a Content-Length. Any status other than 200 counts as a failure.
 */
import { connect } from "node:net"

export interface Load {
  readonly host: string
  readonly port: number
  readonly method: "GET" | "POST"
  readonly path: () => string
  readonly body?: () => string
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
  /** The first answer's body. */
  readonly sample: string
}

const requestOf = ({ body, headers = {}, host, method, path, port }: Load): string => {
  const text = body?.() ?? ""
  const lines = [
    `${method} ${path()} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(method === "POST" ? ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  ]
  return `${lines.join("\r\n")}\r\n\r\n${text}`
}

const HEAD_END = Buffer.from("\r\n\r\n")

interface Extent {
  readonly head: number
  readonly whole: number
}

/** The ends of head and body of the first answer. Undefined while its head is incomplete. */
const extentOf = (received: Buffer): Extent | undefined => {
  const end = received.indexOf(HEAD_END)
  if (end < 0) return undefined
  const match = /content-length: (\d+)/i.exec(received.toString("latin1", 0, end))
  if (match === null) throw new Error("an answer without Content-Length")
  const head = end + HEAD_END.length
  return { head, whole: head + Number(match[1]) }
}

export const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/** Runs the load and returns the measurements. */
export const closedLoop = async (load: Load): Promise<Measured> => {
  const latencies: Array<number> = []
  let failures = 0
  let sample = ""
  const from = performance.now()
  const until = from + load.ms
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: load.host, port: load.port, noDelay: true })
      let received: Buffer = Buffer.alloc(0)
      let sent = 0
      const send = () => {
        const request = requestOf(load)
        sent = performance.now()
        socket.write(request)
      }
      socket.on("connect", send)
      socket.on("error", reject)
      socket.on("close", resolve)
      socket.on("data", (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const extent = extentOf(received)
        if (extent === undefined || received.length < extent.whole) return
        const now = performance.now()
        latencies.push(now - sent)
        if (sample === "") sample = received.toString("utf8", extent.head, extent.whole)
        if (received.toString("latin1", 9, 12) !== "200") failures += 1
        received = received.subarray(extent.whole)
        if (now < until) send()
        else socket.end()
      })
    })
  await Promise.all(Array.from({ length: load.connections }, one))
  const seconds = (performance.now() - from) / 1000
  const sorted = latencies.toSorted((left, right) => left - right)
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    failures,
    sample
  }
}
