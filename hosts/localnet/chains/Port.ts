/**
 * TCP ports of the loopback interface: is one free, which one is.
 *
 * An answer is a moment's truth: somebody else may take the port before its
 * user binds it. Whoever binds must cope with that.
 */
import { Effect } from "effect"
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
export const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.map(bind(port), (bound) => bound !== undefined)

/** A port that nobody uses now, chosen by the kernel. */
export const anyFree: Effect.Effect<number> = Effect.flatMap(
  bind(0),
  (port) => port === undefined ? Effect.die(new Error("no free port on 127.0.0.1")) : Effect.succeed(port)
)
