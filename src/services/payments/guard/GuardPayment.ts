/** Guards a payment until no reorg can remove it. `Reverted` when a reorg has made it fail for good. */
import type { DuePayment } from "../DuePayment.ts"
import { payUntil } from "../pay/PayUntil.ts"

/** It has had its turn: after losing its sequence it is signed again without queueing. */
export const guardPayment = <R = never>(due: DuePayment<R>) =>
  payUntil({ ...due, turn: undefined }, ({ final }) => final)
