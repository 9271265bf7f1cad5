/** Keeps a payment alive until no reorg can take it back; `Reverted` when one has made it fail for good. */
import type { DuePayment } from "../DuePayment.ts"
import { payUntil } from "../pay/PayUntil.ts"

/** It had its turn: one that is signed again after it lost its sequence does not stand in line again. */
export const guardPayment = <R = never>(due: DuePayment<R>) =>
  payUntil({ ...due, turn: undefined }, ({ final }) => final)
