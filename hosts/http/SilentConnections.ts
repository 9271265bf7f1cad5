/**
 * Bounds on silent and very slow connections, which cost a server a socket each and which anyone can open: how long
 * they last, and how many there are.
 *
 * An honest client sends its request at once. So when there are too many, new clients are not turned away. Instead the
 * connection that has waited longest for its request is closed: of the client that has too many, otherwise of all.
 * Connections with a running answer, such as a stream, do not count as silent; their handler bounds them.
 */
import { createServer } from "node:http"
import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"
import { clientOf, plain } from "./ClientNetwork.ts"

/** Times in milliseconds. */
export interface SilenceBounds {
  /** For the head of a request, from the connection or its first byte on; and for the whole request. */
  readonly head: number
  readonly request: number
  /** Neither side has sent anything, because the client does not read its answer. Streams send something every 15 s. */
  readonly quiet: number
  /** Connections whose request has not arrived: per client, and in total. */
  readonly waitingOfClient: number
  readonly waiting: number
  /** Connections of every kind: ten thousand streams, and the others. */
  readonly connections: number
}

export const silenceBounds: SilenceBounds = {
  head: 10_000,
  request: 30_000,
  quiet: 300_000,
  waitingOfClient: 128,
  waiting: 1_024,
  connections: 14_336
}

const CHECKED_EVERY = 1_000

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

const boundWaiting = (server: Server, bounds: SilenceBounds): void => {
  const waiting = new Set<Socket>()
  const ofClients = new Map<string, Set<Socket>>()
  const clients = new WeakMap<Socket, string>()

  const release = (socket: Socket) => {
    if (!waiting.delete(socket)) return
    const client = clients.get(socket) ?? ""
    const own = ofClients.get(client)
    own?.delete(socket)
    if (own?.size === 0) ofClients.delete(client)
  }
  const closeOldest = (sockets: Set<Socket>, atMost: number) => {
    const [oldest] = sockets
    if (sockets.size <= atMost || oldest === undefined) return
    release(oldest)
    oldest.destroy()
  }

  server.on("connection", (socket: Socket) => {
    const client = clientOf(plain(socket.remoteAddress ?? ""))
    const own = ofClients.get(client) ?? new Set()
    ofClients.set(client, own.add(socket))
    clients.set(socket, client)
    waiting.add(socket)
    socket.once("close", () => release(socket))
    closeOldest(own, bounds.waitingOfClient)
    closeOldest(waiting, bounds.waiting)
  })
  // Before the handler runs: a complete request does not wait for anything.
  server.prependListener("request", (request: IncomingMessage) => {
    if (!hasBody(request)) return release(request.socket)
    request.once("end", () => release(request.socket))
    request.once("close", () => release(request.socket))
  })
}

export const makeBoundedServer = (bounds: SilenceBounds = silenceBounds): Server => {
  const server = createServer({
    headersTimeout: bounds.head,
    requestTimeout: bounds.request,
    connectionsCheckingInterval: Math.min(CHECKED_EVERY, bounds.head)
  })
  server.timeout = bounds.quiet
  server.maxConnections = bounds.connections
  boundWaiting(server, bounds)
  return server
}
