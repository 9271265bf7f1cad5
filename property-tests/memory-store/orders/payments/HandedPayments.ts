/** A payment that another deposit of its order takes over, and what becomes of the deposit that had it. */
import type { Payments } from "../../../../ports/store/orders/Payments.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"

/** True when the loss of the former deposit had been booked. */
export const handOver = (
  { deposits, losses, payments, settlements, variants }: Tables,
  ...[{ deposit: from, leg, orderId }, deposit, at]: Parameters<Payments["Service"]["handOver"]>
): boolean => {
  const row = payments.get(keyOf(orderId, leg))
  if (row === undefined || row.deposit !== from) return false
  payments.set(keyOf(orderId, leg), { ...row, deposit })
  deposits.change(from, (former) =>
    former.state === "open" || former.state === "filled"
      ? { ...former, state: "gone", sighting: former.sighting + 1, hasSettlement: false }
      : former)
  settlements.change(from, (former) =>
    former.state === "open" || former.state === "refused"
      ? { ...former, state: "excluded", reason: null, leasedUntil: 0, endedAt: at }
      : former)
  const isOfPayment = (transactionId: string): boolean => {
    const variant = variants.get(transactionId)
    return variant?.chainId === row.chainId && variant.account === row.account && variant.sequence === row.sequence
  }
  const booked = losses.all().filter((loss) => loss.deposit === from)
  for (const loss of booked) {
    if (loss.kind === "payment" && isOfPayment(loss.transactionId)) losses.set(loss.id, { ...loss, deposit })
  }
  const lost = booked.filter(({ kind, recoveredAt }) => kind === "deposit" && recoveredAt === null)
  for (const loss of lost) losses.set(loss.id, { ...loss, recoveredAt: at })
  return lost.length > 0
}
