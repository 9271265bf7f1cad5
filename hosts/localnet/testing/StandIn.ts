/**
 * A transfer service and an oracle that are ready and only answer the questions of a start. For tests of the run around
 * them.
 */
import { Config, Effect, Layer } from "effect"
import { createServer } from "node:http"

/** The answers to the demo sponsor's questions, in order. */
const sponsorAnswers: ReadonlyArray<readonly [path: RegExp, answer: object]> = [
  [/^\/api-keys$/u, { key: "k".repeat(40) }],
  [/^\/api-keys\/wallets\/challenge$/u, { message: "to be signed" }],
  [/^\/api-keys\/wallets$/u, { wallet: "whoever signed" }],
  [/^\/app-fees\/0x[0-9a-fA-F]{40}\/balances$/u, { amount: "1", availableBalanceUsd: "1000.000000" }]
]

const answering = (variable: string, path: string) =>
  Layer.effectDiscard(
    Effect.gen(function*() {
      const port = yield* Config.Port(variable)
      const server = createServer((request, response) => {
        const [, answer] = sponsorAnswers.find(([asked]) => asked.test(request.url ?? "")) ?? []
        response.writeHead(request.url === path || answer !== undefined ? 200 : 404, {
          "content-type": "application/json"
        })
        response.end(JSON.stringify(answer ?? {}))
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
          })
      )
    })
  )

/** Each on the port of its variable. */
export const standIns = { transfer: answering("TRANSFER_PORT", "/ready"), oracle: answering("HTTP_PORT", "/lives/v1") }
