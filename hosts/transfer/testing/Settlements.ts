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

export const settlementsOf = (url: string, order: Hex) =>
  Effect.map(
    get(`${url}/requests?orderId=${order}`),
    ({ json }) => decode(json()).requests[0]?.data.settlements ?? []
  )

/** All that was deposited for the order is settled: so many deposits, or at least one. */
export const settled = (url: string, order: Hex, many?: number) =>
  eventually(
    `the order ${order} is settled`,
    settlementsOf(url, order),
    (found) =>
      (many === undefined ? found.length > 0 : found.length === many) && found.every(({ state }) => state === "settled")
  )
