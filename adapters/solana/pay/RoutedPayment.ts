/** A fill that swaps, prepared through one endpoint: for its signature, or only for its cost. */
import { Effect } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { JupiterServer } from "../quote/jupiter/JupiterApi.ts"
import type { SolanaRpc } from "../rpc/SolanaRpc.ts"
import { prepareRoutePayment } from "./RoutePayment.ts"
import type { SwappedFill } from "./RoutePayment.ts"

/** Fails with `PaymentRefused` when the payment could not be carried out now. */
export const routed = Effect.fnUntraced(
  function*(rpc: SolanaRpc["Service"], server: JupiterServer["Service"], solver: Address, payment: SwappedFill) {
    const { chain } = payment
    const found = yield* rpc.call(
      chain,
      "a payment that swaps",
      (client) => prepareRoutePayment({ client, server, solver, payment })
    )
    if (!("refused" in found)) return found
    if (found.told !== undefined) {
      yield* Effect.logWarning(`a route of jupiter on ${chain.slug} is not paid through: ${found.told}`)
    }
    return yield* found.refused
  }
)
