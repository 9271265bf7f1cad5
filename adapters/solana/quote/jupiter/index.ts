/**
 * The port `SwapSources` on Solana: routes from a server with the Jupiter swap interface.
 *
 * A quote is only a price. The transaction for the user to sign is requested separately and checked (`CheckRoute`). Its
 * simulation shows what it really does (`Steps`).
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { SolanaRpc } from "../../rpc/SolanaRpc.ts"
import { JupiterFault, JupiterServer } from "./JupiterApi.ts"
import { makeRoute, quoteOf } from "./Routes.ts"

export { JupiterServer } from "./JupiterApi.ts"

export const layer = Layer.effect(
  SwapSources,
  Effect.gen(function*() {
    const server = yield* JupiterServer
    const rpc = yield* SolanaRpc
    const fromServer = <A>(chain: Chain, run: () => Promise<A>) =>
      Effect.tryPromise({
        try: run,
        catch: (cause) =>
          new ChainUnavailable({
            chain: chain.slug,
            operation: "swap routes of jupiter",
            kind: cause instanceof JupiterFault ? cause.kind : "refused"
          })
      })

    const offers: SwapSources["Service"]["offers"] = Effect.fnUntraced(function*(asked, sources) {
      const source = sources.find(({ id }) => id === "jupiter")
      const quote = source === undefined || server.url === undefined
        ? undefined
        : yield* fromServer(asked.chain, () => quoteOf(server, source.router, asked))
      return { quotes: quote === undefined ? [] : [quote], gasPrice: 1n }
    })

    const forUser: SwapSources["Service"]["forUser"] = Effect.fnUntraced(function*(quote, terms, user) {
      const { chain } = quote.ask
      const made = yield* rpc.call(chain, "swap route", async (client) => {
        try {
          return await makeRoute({ server, client, quote, terms, user })
        } catch (cause) {
          // The server's failure is not the endpoint's.
          if (cause instanceof JupiterFault) return cause
          throw cause
        }
      })
      if (made instanceof JupiterFault) {
        return yield* new ChainUnavailable({ chain: chain.slug, operation: "swap routes of jupiter", kind: made.kind })
      }
      if (typeof made !== "string") return made
      yield* Effect.logWarning(`a route of jupiter on ${chain.slug} is not passed on: ${made}`)
      return undefined
    })

    return SwapSources.of({
      offers,
      forUser,
      again: (quote, asked) => fromServer(asked.chain, () => quoteOf(server, quote.router, asked)),
      encode: () => {
        throw new Error("a Solana chain has no calls of routers: they were to be refused before")
      }
    })
  })
)
