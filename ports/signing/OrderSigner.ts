/** The solver's signature of an order id (ORDER-6): EIP-191 over the 32 raw bytes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { OrderId } from "../../src/domain/order/Order.ts"
import type { SignerUnavailable } from "./SignerUnavailable.ts"

/** Signs an order's id as the solver (EIP-191). Errors: the signer did not answer. */
export class OrderSigner extends Context.Service<OrderSigner, {
  /** The solver's EVM account, the `solver` of every order. */
  readonly solver: Address
  readonly sign: (orderId: OrderId) => Effect.Effect<string, SignerUnavailable>
}>()("causeway/ports/OrderSigner") {}
