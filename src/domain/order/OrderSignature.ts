/**
 * The solver's signature of an order: EIP-191 over the 32 raw bytes of its id (ORDER-6).
 *
 * It means that the solver accepts the order, not that anything was paid.
 */
import type * as Result from "effect/Result"
import type { Hex, Hex32 } from "../encoding/Hex.ts"
import { type InvalidSignature, isSignedBy, signHash } from "../encoding/Signature.ts"
import type { Order, OrderId } from "./Order.ts"

/** Signs the id of an order. Fails when the key is invalid. */
export const signOrder = (id: OrderId, key: Hex32): Result.Result<Hex, InvalidSignature> => signHash(id, key)

/** True when the order's own solver signed the id. The caller must have computed the id from this order. */
export const isSignedBySolver = (order: Order, id: OrderId, signature: Hex): boolean =>
  isSignedBy(id, signature, order.solver)
