/** A payment that another deposit of its order takes over, and what becomes of the deposit that had it. */
import type { PaymentPurpose, Payments, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { OrderId } from "../../../../src/domain/order/Order.ts"
import { ascending } from "../../Ordering.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"
import { readPayment } from "./StoredPayments.ts"

const isRefund = (leg: string): leg is `refund:${string}` => leg.startsWith("refund:") && !leg.includes("!")

/** Of whichever deposit, and not reverted. */
export const hasRefund = (tables: Tables, orderId: OrderId): boolean =>
  tables.paymentsOfOrder(orderId).some(({ leg, state }) => isRefund(leg) && state !== "reverted")

/** The refunds of deposits that have not ended as refunded, oldest first. */
export const unfinishedRefunds = (tables: Tables, orderId: OrderId): ReadonlyArray<StoredPayment> =>
  tables.paymentsOfOrder(orderId).filter(({ deposit, state }) =>
    state !== "reverted" && tables.deposits.get(deposit)?.state !== "refunded"
  ).toSorted(ascending(({ signedAt }) => signedAt, ({ leg }) => leg)).flatMap(({ leg }) =>
    isRefund(leg) ? readPayment(tables, orderId, leg) ?? [] : []
  )

const handedLeg = (leg: PaymentPurpose, deposit: string, as: "excess" | undefined): PaymentPurpose => {
  if (as === "excess") return `excess:${deposit}`
  return isRefund(leg) ? `refund:${deposit}` : leg
}

/** True when the loss of the former deposit had been booked. */
export const handOver = (
  { deposits, losses, payments, paymentsOfOrder, settlements, variants }: Tables,
  ...[{ deposit: from, leg, orderId }, deposit, at, as]: Parameters<Payments["Service"]["handOver"]>
): boolean => {
  const row = payments.get(keyOf(orderId, leg))
  if (row === undefined || row.deposit !== from) return false
  const to = handedLeg(leg, deposit, as)
  const isBeside = (other: { readonly leg: string; readonly deposit: string }): boolean =>
    as === "excess" ? other.leg.startsWith("excess:") : other.deposit === deposit
  const isTaken = paymentsOfOrder(orderId).some((other) =>
    other.leg === to || (isBeside(other) && other.state !== "void" && other.state !== "reverted")
  )
  if (isRefund(leg) && isTaken) return false
  if (to !== leg) payments.remove(keyOf(orderId, leg))
  const deposited = row.deposited ?? deposits.get(deposit)?.deposit.amount
  payments.set(keyOf(orderId, to), { ...row, leg: to, deposit, deposited })
  const ended = isRefund(leg) ? "refunded" : "filled"
  deposits.change(from, (former) =>
    former.state === "open" || former.state === ended
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
