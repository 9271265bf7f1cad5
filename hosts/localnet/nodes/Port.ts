/**
 * TCP ports of the loopback interface: is a port free, and which one is.
 *
 * `isFree` is only true for a moment: another program may take the port before its user binds it, and the user must
 * handle that. What `anyFree` returns, or `take` has taken, no other caller of them on this machine gets meanwhile.
 */
import { Effect, Random } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"

const bind = (port: number): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(undefined)))
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address()
      const bound = address !== null && typeof address === "object" ? address.port : undefined
      server.close(() => resume(Effect.succeed(bound)))
    })
  })

/** Whether no program listens on that port of 127.0.0.1 now. */
export const isFree = (port: number): Effect.Effect<boolean> => Effect.map(bind(port), (bound) => bound !== undefined)

/**
 * The first port that the kernel assigns on its own, also for outgoing connections: ports below it are taken by number
 * only. 32768 when the kernel does not say (Linux's default).
 */
const firstEphemeral = (): number => {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/u)[0])
  } catch {
    return 32_768
  }
}

/** Above the ports that programs usually use by number, and above the last one that `fetch` refuses as a bad port. */
const LEAST = 10_081

const MOST = firstEphemeral() - 1

/** Milliseconds that a port stays with its caller: longer than tests stop and start what listens there. */
const LEASE = 600_000

/**
 * Takes the port from all other callers on this machine. False when one of them has it. The name is in the kernel's
 * abstract namespace, so it ends with this process, in whatever way that ends.
 */
const lease = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen({ path: `\0causeway-port-${port}`, exclusive: true }, () => {
      server.unref()
      setTimeout(() => server.close(), LEASE).unref()
      resume(Effect.succeed(true))
    })
  })

/** What this process has taken. It may choose the same again. */
const taken = new Set<number>()

/**
 * Whether that port is free and from now on this process's: of two networks that start at one time only one has it.
 * Where the kernel has no abstract names (macOS), it is free.
 */
export const take = (port: number): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    if (!(yield* isFree(port))) return false
    if (taken.has(port) || process.platform !== "linux") return true
    const isOurs = yield* lease(port)
    if (isOurs) taken.add(port)
    return isOurs
  })

/**
 * A free port that no connection takes by chance before it is bound, and that no other caller gets for ten minutes.
 * Chosen at random below the kernel's range; when none is free there, the kernel chooses.
 */
export const anyFree: Effect.Effect<number> = Effect.gen(function*() {
  for (let tries = MOST > LEAST ? 100 : 0; tries > 0; tries -= 1) {
    const port = yield* Random.nextIntBetween(LEAST, MOST)
    if ((yield* isFree(port)) && (yield* lease(port))) return port
  }
  const port = yield* bind(0)
  return port === undefined ? yield* Effect.die(new Error("no free port on 127.0.0.1")) : port
})
