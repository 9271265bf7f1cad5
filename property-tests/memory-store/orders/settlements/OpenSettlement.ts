/** What a deposit leaves to settle once it is filled or refunded. */
import { OrderId } from "../../../../src/domain/order/Order.ts"
import type { DepositRow } from "../../rows/OrderRows.ts"
import type { Tables } from "../../Tables.ts"

/**
 * Opens the settlement of a deposit that is closed. One that is closed again is settled again unless the hub has it.
 */
export const openSettlement = (
  { settlements }: Tables,
  { deposit: { onchainId }, depositId, seenAt }: DepositRow,
  at: number
): void => {
  const before = settlements.get(onchainId)
  const fresh = {
    state: "open",
    reason: null,
    attempts: 0,
    looksAlike: 0,
    failures: 0,
    dueAt: 0,
    openedAt: at
  } as const
  if (before === undefined) {
    settlements.add(onchainId, {
      ...fresh,
      deposit: onchainId,
      orderId: OrderId.make(depositId),
      leasedUntil: 0,
      createdAt: seenAt,
      submission: undefined,
      endedAt: undefined,
      lookedReason: undefined,
      settledOn: undefined,
      checkAt: undefined
    })
  } else if (before.state === "refused" || before.state === "excluded") {
    settlements.set(onchainId, { ...before, ...fresh })
  }
}
