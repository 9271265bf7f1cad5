/**
 * GET /chains, GET /currencies and GET /swap-sources: the configuration for clients, with the current pauses (ROW-1).
 */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { SentTransactions } from "../../../../ports/chain/SentTransactions.ts"
import { SettlementChain } from "../../../../ports/hub/SettlementChain.ts"
import { OrderSigner } from "../../../../ports/signing/OrderSigner.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { isChainPaused } from "../../../../src/domain/pause/Pause.ts"
import { wireCurrency } from "../../../../src/domain/quote/wire/WireAmount.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { chainRow } from "./ChainRows.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

export const layer = HttpApiBuilder.group(
  TransferApi,
  "chains",
  Effect.fn(function*(handlers) {
    const served = yield* Chains
    const pausing = yield* Pausing
    const { solver } = yield* OrderSigner
    const { accountsOn } = yield* SentTransactions
    const { chain: settlementChain, token } = yield* SettlementChain
    const settlement = { chainId: settlementChain.id, token, solver }

    const chains = Effect.fn("http.chains")(function*() {
      const pauses = yield* Effect.mapError(pausing.all, ({ message }) => new Unavailable({ message }))
      const row = (chain: Chain) =>
        chainRow(chain, [...new Set([solver, ...accountsOn(chain)])], isChainPaused(pauses, chain.id))
      return { chains: served.all.map(row), settlement }
    })

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
