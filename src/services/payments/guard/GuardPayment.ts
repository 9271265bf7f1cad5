/** Keeps a payment alive until no reorg can take it back; `Reverted` when one has made it fail for good. */
import type { DuePayment } from "../DuePayment.ts"
import { payUntil } from "../pay/PayUntil.ts"

export const guardPayment = <R = never>(due: DuePayment<R>) => payUntil(due, ({ final }) => final)
