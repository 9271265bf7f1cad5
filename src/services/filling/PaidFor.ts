/** The payments that were made for a deposit, and what of it none was made for. */
import * as Effect from "effect/Effect"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { unpaidOf } from "../../domain/transfer/payment/MissingDeposit.ts"
import type { RefundedTransfer } from "../../domain/transfer/refund/RefundedTransfer.ts"

/** The purpose of what is returned of a deposit beside its fill or refund. Stored, so the form never changes. */
export const excessLeg = ({ onchainId }: Pick<Deposit, "onchainId">) => `excess:${onchainId}` as const

const ofDeposit = Effect.fnUntraced(
  function*({ orderId }: Pick<RefundedTransfer, "orderId">, deposit: Deposit, chains: ReadonlyArray<Chain>) {
    const payments = yield* Payments
    const { onchainId } = deposit
    const legs = ["fill", "fallback", `refund:${onchainId}`, excessLeg(deposit)] as const
    return yield* payments.standing(orderId, legs, chains)
  }
)

const isOwn = ({ onchainId }: Deposit) => ({ deposit, state }: StoredPayment): boolean =>
  deposit === onchainId && state !== "reverted"

/** Those that are not reverted. */
export const paymentsFor = (transfer: Pick<RefundedTransfer, "orderId">, deposit: Deposit) =>
  Effect.map(ofDeposit(transfer, deposit, []), ({ payments }) => payments.filter(isOwn(deposit)))

/**
 * What was paid for a deposit that is filled or refunded. `held`: set while payments on `chain` since a restored backup
 * are not known.
 */
export const paidFor = (
  transfer: Pick<RefundedTransfer, "orderId" | "terms">,
  deposit: Deposit,
  chain: Chain
) =>
  Effect.map(ofDeposit(transfer, deposit, [chain]), ({ held, payments }) => {
    const own = payments.filter(isOwn(deposit))
    return {
      held,
      /** Also one that has failed. */
      excess: payments.find(({ leg }) => leg === excessLeg(deposit)),
      /** The payment beside which an excess is returned. Undefined when there is none, and when two contradict. */
      besides: own.filter(({ leg }) => leg !== excessLeg(deposit)),
      /** Undefined when it is not known what was paid for. */
      unpaid: unpaidOf(transfer, own, deposit)
    }
  })

/**
 * How much of a filled deposit its delivery was made for, smallest units: app fees are shares of that. `own`: its
 * payments.
 */
export const filledPart = (
  transfer: Pick<RefundedTransfer, "orderId" | "terms">,
  deposit: Deposit,
  own: ReadonlyArray<StoredPayment>
): bigint | undefined => {
  const unpaid = unpaidOf(transfer, own.filter(({ leg }) => leg !== excessLeg(deposit)), deposit)
  return unpaid === undefined ? undefined : deposit.amount - unpaid
}
