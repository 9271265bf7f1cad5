/**
 * GET /chains, GET /currencies and GET /swap-sources: the configuration for clients, with the current pauses (ROW-1).
 */
import { Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { wireCurrency } from "../../../../src/domain/quote/wire/WireAmount.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { inputErrors } from "../status/StatusRoutes.ts"
import { makeChainsAnswer } from "./ChainsAnswer.ts"

export const layer = HttpApiBuilder.group(
  TransferApi,
  "chains",
  Effect.fn(function*(handlers) {
    const served = yield* Chains
    const answer = yield* makeChainsAnswer

    const chains = ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
      Effect.mapError(answer(request.headers), ({ message }) => new Unavailable({ message }))

    /** All chains when the query names none. */
    const asked = Effect.fnUntraced(function*({ chainId }: { readonly chainId?: string }) {
      if (chainId === undefined) return served.all
      const chain = served.all.find(({ id }) => `${id}` === chainId)
      return chain === undefined
        ? yield* new BadRequest({
          message: `chainId: chain ${chainId} is not served here; GET /chains lists those that are`
        })
        : [chain]
    })

    const currencies = Effect.fn("http.currencies")(
      function*({ query }: { readonly query: { readonly chainId?: string } }) {
        return (yield* asked(query)).flatMap((chain) =>
          [...chain.currencies, ...chain.swaps?.currencies ?? []].map(wireCurrency)
        )
      }
    )

    const swapSources = Effect.fn("http.swapSources")(
      function*({ query }: { readonly query: { readonly chainId?: string } }) {
        const ids = (yield* asked(query)).flatMap((chain) => (chain.swaps?.sources ?? []).map(({ id }) => id))
        return { sources: [...new Set(ids)] }
      }
    )

    return handlers.handleAll({ chains, currencies, swapSources })
  })
).pipe(Layer.provide(inputErrors))
