/**
 * What ten thousand open status streams cost a transfer host: memory for each, and processor time while nothing
 * changes. 500 clients with 20 streams each, each client an address of its own on the loopback.
 */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { nativeRequest, quote } from "../../testing/Client.ts"
import { startHost } from "../../testing/HostProcess.ts"
import { processorMs } from "../../testing/load/ProcessorTime.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const CLIENTS = 500
const STREAMS_OF_CLIENT = 20
const REQUESTS = 50
/** Comments and the garbage of opening have passed by then. */
const SETTLED = "30 seconds"
const MEASURED_SECONDS = 15

/** Kilobytes of the process in memory. */
const residentKb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)

/** Opens a stream, and completes at its first event. */
const opened = (port: number, client: number, id: string) =>
  Effect.callback<Socket, Error>((resume) => {
    const localAddress = `127.0.${1 + (client >> 8)}.${client & 255}`
    const socket = connect({ host: "127.0.0.1", port, localAddress })
    socket.write(`GET /intents/status/stream?requestId=${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    socket.once("error", (error) => resume(Effect.fail(error)))
    socket.on("data", (chunk: Buffer) => {
      if (chunk.includes("event: status")) resume(Effect.succeed(socket))
    })
  })

const program = Effect.gen(function*() {
  const { chains, environment, user } = yield* startNetwork
  const { pid, url } = yield* startHost(environment)
  const port = Number(new URL(url).port)
  const ids: Array<string> = []
  for (let n = 0; n < REQUESTS; n += 1) {
    const quoted = yield* quote(url, nativeRequest(user(0), chains.alpha, chains.beta, 10n ** 15n))
    const endpoint = quoted.steps[0]?.items[0]?.check?.endpoint ?? ""
    ids.push(endpoint.slice(endpoint.indexOf("=") + 1))
  }
  const open = (clients: number) =>
    Effect.forEach(
      Array.from({ length: clients * STREAMS_OF_CLIENT }, (_, n) => n),
      (n) => opened(port, Math.floor(n / STREAMS_OF_CLIENT), ids[n % REQUESTS] ?? ""),
      { concurrency: 64 }
    )
  const rest = Effect.gen(function*() {
    yield* Effect.sleep(SETTLED)
    const from = processorMs(pid)
    yield* Effect.sleep(`${MEASURED_SECONDS} seconds`)
    return { kb: residentKb(pid), msASecond: (processorMs(pid) - from) / MEASURED_SECONDS }
  })
  // Compiles what a stream needs.
  for (const socket of yield* open(CLIENTS / 10)) socket.destroy()
  const before = yield* rest
  const streams = yield* open(CLIENTS)
  const after = yield* rest
  const kb = (after.kb - before.kb) / streams.length
  process.stdout.write(
    `\nTransfer service: ${streams.length} open status streams of ${CLIENTS} clients\n` +
      `     ratio       memory    processor, ms a second\n` +
      `      1.00 ${(before.kb / 1024).toFixed(0).padStart(9)} MB ${before.msASecond.toFixed(0).padStart(12)}  none\n` +
      `${(after.kb / before.kb).toFixed(2).padStart(10)} ${(after.kb / 1024).toFixed(0).padStart(9)} MB ${
        after.msASecond.toFixed(0).padStart(12)
      }  all, ${kb.toFixed(1)} kB each\n`
  )
  for (const socket of streams) socket.destroy()
})

await Effect.runPromise(Effect.scoped(program))
