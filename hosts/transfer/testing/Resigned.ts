/**
 * The quote of a dishonest solver: its order is another one, and id, signature and steps are those of that order. Only
 * the comparison with the request, or with the figures, can detect it.
 */
import { Result, Schema } from "effect"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { families } from "../../../src/domain/families/index.ts"
import { Order } from "../../../src/domain/order/Order.ts"
import { orderId } from "../../../src/domain/order/OrderId.ts"
import { signOrder } from "../../../src/domain/order/OrderSignature.ts"
import type { TestChains } from "./TestChains.ts"
import { solanaSlug } from "../../localnet/nodes/solana/SolanaChain.ts"

const Signed = Schema.Struct({ protocol: Schema.Struct({ v2: Schema.Struct({ orderData: Order }) }) })

/** `answer`: a quote with its protocol data, between EVM chains and Solana. */
export const resigned = (answer: unknown, { solverKey }: TestChains, change: (order: Order) => Order): unknown => {
  const idOf = (order: Order) =>
    Result.getOrThrow(orderId(order, (slug) => families[slug === solanaSlug ? "solana-vm" : "ethereum-vm"]))
  const { orderData: order } = Schema.decodeUnknownSync(Signed)(answer).protocol.v2
  const changed = change(order)
  const id = idOf(changed)
  // The id is in the deposit's data as well.
  const named = JSON.parse(JSON.stringify(answer).replaceAll(idOf(order).slice(2), id.slice(2))) as {
    readonly protocol: { readonly v2: object }
  }
  return {
    ...named,
    protocol: {
      v2: {
        ...named.protocol.v2,
        orderData: Schema.encodeSync(Order)(changed),
        orderSignature: Result.getOrThrow(signOrder(id, Hex32.make(solverKey)))
      }
    }
  }
}
