/** Limits the calldata that is stored for callers each day, in total and per key. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CalldataAllowances } from "../../../ports/store/orders/CalldataAllowances.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { calldataBytes } from "../../domain/quote/request/RequestRules.ts"
import { Policy } from "../operations/Policy.ts"

/** Bytes of a request that are not counted. The rest of its stored data is larger than that. */
const UNCOUNTED_BYTES = 2_048

const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

/** INVALID_EXTRA_TXS when the day's allowance is used up. Called last, when nothing else can refuse the request. */
export const keepCalldata = Effect.fnUntracedEager(function*({ txs = [] }: QuoteRequest, key: ApiKey | undefined) {
  const bytes = calldataBytes(txs)
  if (bytes <= UNCOUNTED_BYTES) return
  const { calldata } = yield* Policy
  const { take } = yield* CalldataAllowances
  const allowance = key === undefined ? calldata.withoutKey : calldata.ofKey
  if (yield* take({ key: key?.id, bytes, allowance, at: yield* Clock.currentTimeMillis })) return
  const whose = key === undefined ? "of callers without an API key" : "of this API key"
  const instead = key === undefined ? ", send an API key," : ""
  return yield* new QuoteRefused({
    code: "INVALID_EXTRA_TXS",
    field: "txs",
    message: `txs: the calldata ${whose} that is stored on one day (UTC) is ${
      mib(allowance)
    }, and what is left of today's is less than these ${bytes} bytes: send at most ${UNCOUNTED_BYTES} bytes${instead} or ask again tomorrow`
  })
})
