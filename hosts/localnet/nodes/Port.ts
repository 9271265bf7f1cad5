/**
 * TCP ports of the loopback interface: is one free, which one is.
 *
 * An answer is a moment's truth: somebody else may take the port before its
 * user binds it. Whoever binds must cope with that.
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

/** Whether nobody listens on that port of 127.0.0.1 now. */
export const isFree = (port: number): Effect.Effect<boolean> => Effect.map(bind(port), (bound) => bound !== undefined)

/**
 * The first port that the kernel gives to whoever asks for none, outgoing connections among them: what is below is
 * taken by name only. 32768 where the kernel does not say (Linux's default).
 */
const firstEphemeral = (): number => {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/u)[0])
  } catch {
    return 32_768
  }
}

/** Above what programs use by name. */
const LEAST = 10_000

const MOST = firstEphemeral() - 1

/**
 * A port that nobody uses now, and that no connection of anybody takes by chance until it is bound: chosen at random
 * below the kernel's range, of its own choice where nothing is free there.
 */
export const anyFree: Effect.Effect<number> = Effect.gen(function*() {
  for (let tries = MOST > LEAST ? 100 : 0; tries > 0; tries -= 1) {
    const port = yield* Random.nextIntBetween(LEAST, MOST)
    if (yield* isFree(port)) return port
  }
  const port = yield* bind(0)
  return port === undefined ? yield* Effect.die(new Error("no free port on 127.0.0.1")) : port
})
