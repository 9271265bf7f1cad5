/** The cost of a reverted fill, and of its fallback, for the refund after it: charged once, by the receipt (REFUND-11). */
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { findChain } from "../../../domain/chain/Chain.ts"
import { convertCeil, usdCeil } from "../../../domain/money/Currency.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { microsCeil } from "../../../domain/money/Usd.ts"
import { fallsBack } from "../../../domain/transfer/Transfer.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { lostCalls, runsCalls } from "../../../domain/transfer/payment/RevertedCalls.ts"
import type { RevertedRefund } from "../../../domain/transfer/payment/RevertedCalls.ts"
import { countRevertedCalls } from "../../operations/Meters.ts"
import { settleRefunded } from "../losses/RevertedCallLoss.ts"

/** The refund of a deposit whose fill has reverted. Undefined when no fill for it has. */
export const revertedFill = Effect.fnUntraced(
  function*(
    transfer: RefundedTransfer,
    { amount: deposited, onchainId }: Deposit,
    currency: Currency,
    { least, net }: { readonly least: bigint; readonly net: bigint }
  ) {
    // Of an order without bounds nothing is charged: what its fill has cost is settled already.
    if (!runsCalls(transfer) && transfer.terms.refundBounds === undefined) return undefined
    const payments = yield* Payments
    const legs = fallsBack(transfer.terms) ? ["fill", "fallback"] as const : ["fill"] as const
    const paid = yield* Effect.forEach(legs, (leg) => payments.find(transfer.orderId, leg))
    const reverted = paid.flatMap((each) =>
      each?.gasPaid !== undefined && each.state === "reverted" && each.deposit === onchainId
        ? [{ chainId: each.chainId, gasPaid: each.gasPaid }]
        : []
    )
    const [first] = reverted
    if (first === undefined) return undefined
    const chains = yield* Chains
    const filled = findChain(chains.all, first.chainId)
    if (filled === undefined) return undefined
    const gasPaid = reverted.reduce((sum, each) => sum + each.gasPaid, 0n)
    const prices = yield* Prices
    const [native, own] = yield* Effect.all([prices.priceOf(filled.native), prices.priceOf(currency)])
    const refund: RevertedRefund = {
      deposited,
      net,
      least,
      cost: convertCeil(gasPaid, native, own),
      bounds: transfer.terms.refundBounds
    }
    return { filled, refund, own }
  }
)

export type RevertedFill = Effect.Success<ReturnType<typeof revertedFill>>

/** The part of the reverted fill's cost that the refund does not cover is the solver's loss. */
export const noteLost = Effect.fnUntraced(
  function*(transfer: RefundedTransfer, deposit: Deposit, reverted: RevertedFill, paid: bigint) {
    if (reverted === undefined) return
    const lost = microsCeil(usdCeil(lostCalls(reverted.refund, paid), reverted.own))
    yield* settleRefunded(transfer, deposit, lost)
    yield* countRevertedCalls(reverted.filled.slug, lost)
  }
)
