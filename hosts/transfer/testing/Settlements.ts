/** What the history says of settling an order on the hub. */
import { Effect, Schema } from "effect"
import type { Hex } from "viem"
import { get } from "./Get.ts"
import { eventually } from "./Misbehaving.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({
      settlements: Schema.Array(
        Schema.Struct({
          state: Schema.String,
          reason: Schema.NullOr(Schema.String),
          inTxHash: Schema.String,
          txHash: Schema.NullOr(Schema.String)
        })
      )
    })
  }))
}))

const listed = (url: string, query: string) =>
  Effect.map(get(`${url}/requests?${query}`), ({ json }) => decode(json()).requests[0]?.data.settlements ?? [])

export const settlementsOf = (url: string, order: Hex) => listed(url, `orderId=${order}`)

/** A request's only deposit is settled. */
export const settledRequest = (
  url: string,
  { steps }: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
) => {
  const id = steps[0]?.requestId ?? ""
  return eventually(
    `the request ${id} is settled`,
    listed(url, `id=${id}`),
    (found) => found.length === 1 && found.every(({ state }) => state === "settled")
  )
}

/** All that was deposited for the order is settled: so many deposits, or at least one. */
export const settled = (url: string, order: Hex, many?: number) =>
  eventually(
    `the order ${order} is settled`,
    settlementsOf(url, order),
    (found) =>
      (many === undefined ? found.length > 0 : found.length === many) && found.every(({ state }) => state === "settled")
  )
