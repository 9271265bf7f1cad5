/** POST /transactions/index and /transactions/single: look at a transaction now, within the chain's budget. */
import { Effect, Layer, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Indexing } from "../../../src/services/Indexing.ts"
import type { Found } from "../../../src/services/Indexing.ts"
import { TxText } from "../api/IndexApi.ts"
import { BadRequest, Unavailable } from "../api/QuoteErrors.ts"
import { TransferApi } from "../api/TransferApi.ts"
import { Limits } from "../http/Limits.ts"
import { rateLimitHeaders } from "../http/RateLimit.ts"
import { tooMany } from "../http/Refusals.ts"
import { inputErrors } from "./StatusRoutes.ts"

/** Looks a chain is given: each costs its endpoints several calls. */
const BUDGET = { limit: 60, window: "1 minute" } as const

const decodeTx = Schema.decodeUnknownEffect(TxText)

const sentence = (found: Found): string => {
  if (found._tag === "Unknown") return "the chain does not have this transaction in a block yet; it will be seen when it has"
  if (found.deposits === 0) return "the transaction holds no deposit"
  return found.deposits === 1 ? "the deposit is recorded" : `${found.deposits} deposits are recorded`
}

export const layer = HttpApiBuilder.group(TransferApi, "transactions", Effect.fn(function*(handlers) {
  const indexing = yield* Indexing
  const limits = yield* Limits

  const look = Effect.fn("http.index")(function*(chainId: ChainId, txHash: string) {
    const budget = yield* limits.take({ key: `look:${chainId}`, ...BUDGET })
    if (!budget.allowed) {
      const message = `chain ${chainId} has been looked at ${BUDGET.limit} times within a minute: come again in ${budget.seconds} s; deposits are found without it too`
      return tooMany(message, budget.seconds, rateLimitHeaders("look", budget))
    }
    return yield* indexing.look(chainId, txHash).pipe(
      Effect.map((found) => ({ message: sentence(found) })),
      Effect.mapError((failure) =>
        failure._tag === "IndexRefused"
          ? new BadRequest({ message: `${failure.field}: ${failure.message}` })
          : new Unavailable({ message: failure.message }))
    )
  })

  return handlers.handleAll({
    index: ({ payload }) => look(payload.chainId, payload.txHash),
    single: ({ payload }) =>
      decodeTx(payload.tx).pipe(
        Effect.mapError(() => new BadRequest({ message: "tx: not the JSON text of an object with txHash" })),
        Effect.flatMap(({ txHash }) => look(payload.chainId, txHash))
      )
  })
})).pipe(Layer.provide(inputErrors))
