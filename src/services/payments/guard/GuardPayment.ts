/** Guards a payment until no reorg can remove it. `Reverted` when a reorg has made it fail for good. */
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { DuePayment } from "../DuePayment.ts"
import { payUntil } from "../pay/PayUntil.ts"

/**
 * It has had its turn: after losing its sequence it is signed again without queueing. `known`: as this process has
 * recorded it a moment ago. Another deposit may have taken it over since, as it may during the wait.
 */
export const guardPayment = <R = never>(due: DuePayment<R>, known?: StoredPayment) =>
  payUntil({ ...due, turn: undefined }, ({ final }) => final, known)
