/** `Payments.standing` of a port in memory, by its `find`. Whoever asks for refunds of other deposits has to look. */
import { Effect } from "effect"
import { PaymentsHeld } from "../../../../ports/store/orders/Payments.ts"
import type { Payments } from "../../../../ports/store/orders/Payments.ts"

export const standingBy = (
  find: Payments["Service"]["find"],
  isHeld: () => boolean = () => false
): Payments["Service"]["standing"] =>
(orderId, legs, [chain]) =>
  Effect.map(Effect.forEach(legs, (leg) => find(orderId, leg)), (found) => ({
    payments: found.filter((payment) => payment !== undefined),
    held: chain !== undefined && isHeld() ? new PaymentsHeld({ chain: chain.slug }) : undefined,
    hasRefund: true
  }))
