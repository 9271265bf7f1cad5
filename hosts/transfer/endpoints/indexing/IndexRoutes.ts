/**
 * POST /transactions/index and /transactions/single: read a transaction now, within the caller's budget and the
 * chain's. The caller's budget is checked first, so that no caller uses up a chain's budget for all others.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { Indexing } from "../../../../src/services/deposits/index/Indexing.ts"
import type { IndexOutcome } from "../../../../src/services/deposits/index/Indexing.ts"
import { TxText } from "./IndexApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { Caller } from "../../middleware/Caller.ts"
import type { KnownCaller } from "../../middleware/Caller.ts"
import { Limits } from "../../middleware/Limits.ts"
import type { Verdict } from "../../middleware/Limits.ts"
import { rateLimitHeaders } from "../../middleware/RateLimit.ts"
import { tooMany } from "../../middleware/Refusals.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

/** Readings for each chain, and for each caller on all chains. Each costs a chain's endpoints several calls. */
const OF_CHAIN = { limit: 60, window: "1 minute" } as const
const OF_CALLER = { limit: 20, window: "1 minute" } as const

/** As with every limit, an unknown key shares the budget of its address. */
const callerName = (caller: KnownCaller): string => caller._tag === "Key" ? `key:${caller.key.id}` : caller.address

const decodeTx = Schema.decodeUnknownEffect(TxText)

const sentence = (found: IndexOutcome): string => {
  if (found._tag === "Unknown") {
    return "the chain does not have this transaction in a block yet; it will be seen when it has"
  }
  if (found._tag === "Paid") return "the payment is recorded"
  if (found.deposits === 0) return "the transaction holds no deposit"
  return found.deposits === 1 ? "the deposit is recorded" : `${found.deposits} deposits are recorded`
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "transactions",
  Effect.fn(function*(handlers) {
    const indexing = yield* Indexing
    const limits = yield* Limits

    const look = Effect.fn("http.index")(function*(chainId: ChainId, txHash: string) {
      const refuse = (who: string, verdict: Verdict) =>
        tooMany(
          `${who} ${verdict.limit} times within a minute: try again in ${verdict.seconds} s; deposits are found without this call, too`,
          verdict.seconds,
          rateLimitHeaders("look", verdict)
        )
      const own = yield* limits.take({ key: `look:of:${callerName(yield* Caller)}`, ...OF_CALLER })
      if (!own.allowed) return refuse("you have asked for transactions to be looked at", own)
      const budget = yield* limits.take({ key: `look:${chainId}`, ...OF_CHAIN })
      if (!budget.allowed) return refuse(`chain ${chainId} has been looked at`, budget)
      return yield* indexing.look(chainId, txHash).pipe(
        Effect.map((found) => ({ message: sentence(found) })),
        Effect.mapError((failure) =>
          failure._tag === "IndexRefused"
            ? new BadRequest({ message: `${failure.field}: ${failure.message}` })
            : new Unavailable({ message: failure.message })
        )
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
  })
).pipe(Layer.provide(inputErrors))
