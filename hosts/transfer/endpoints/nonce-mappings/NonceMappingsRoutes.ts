/** POST /authorize, and the query of stored mappings. Passes mappings to `KeepingMappings`. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../../ports/chain/Chains.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { findChain } from "../../../../src/domain/chain/Chain.ts"
import type { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import type { Hex } from "../../../../src/domain/encoding/Hex.ts"
import { KeepingMappings } from "../../../../src/services/clients/KeepingMappings.ts"
import { MappingNotFound } from "./NonceMappingsApi.ts"
import type { MappingBody } from "./NonceMappingsApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { neededKey } from "../../middleware/ApiKey.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const readingKey = neededKey("mappings are read with an API key, as x-api-key: send one")

interface Posted {
  readonly query: { readonly signature: Hex }
  readonly payload: typeof MappingBody.Type
}

interface Asked {
  readonly params: { readonly chainId: ChainSlug; readonly depositor: Address; readonly nonce: bigint }
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "nonceMappings",
  Effect.fn(function*(handlers) {
    const keeping = yield* KeepingMappings
    const { all } = yield* Chains

    const slugOf = (named: Posted["payload"]["walletChainId"]) => {
      if (typeof named === "string") return Effect.succeed(named)
      const chain = findChain(all, named)
      return chain === undefined
        ? Effect.fail(new BadRequest({ message: "walletChainId: this service has no such chain; name it by its slug" }))
        : Effect.succeed(chain.slug)
    }

    return handlers.handleAll({
      authorize: Effect.fn("http.authorize")(function*({ payload, query: { signature } }: Posted) {
        const { depositor, id, nonce, signatureChainId, wallet, walletChainId } = payload
        const chain = yield* slugOf(walletChainId)
        yield* keeping.keep({ chain, wallet, depositor, nonce: BigInt(nonce), id, signatureChainId, signature }).pipe(
          Effect.mapError((failure) =>
            failure._tag === "MappingRefused"
              ? new BadRequest({ message: failure.message })
              : new Unavailable({ message: failure.message })
          )
        )
        return { message: "the mapping is kept: the transfer with this nonce is for this id" }
      }),
      mapping: Effect.fn("http.nonceMapping")(function*({ params: { chainId, depositor, nonce } }: Asked) {
        yield* Effect.mapError(
          readingKey,
          (failure) => failure._tag === "QuoteUnauthorized" ? failure : new Unavailable({ message: failure.message })
        )
        const kept = yield* Effect.mapError(
          keeping.find(chainId, depositor, nonce),
          ({ message }) => new Unavailable({ message })
        )
        if (kept === undefined) {
          return yield* new MappingNotFound({
            message: "no mapping of this nonce is kept",
            code: "NONCE_MAPPING_NOT_FOUND"
          })
        }
        const { chain, createdAt, id, signature, signatureChainId, wallet } = kept
        return {
          walletChainId: chain,
          wallet,
          nonce: kept.nonce.toString(),
          id,
          signatureChainId,
          signature,
          createdAt: new Date(createdAt).toISOString()
        }
      })
    })
  })
).pipe(Layer.provide(inputErrors))
