/**
 * Payments that every endpoint of exchange B refuses for what they are (EXCHANGEB-27), and those that are not signed
 * again. In memory: another process finds it out by signing once more.
 */
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { assetOf } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import type { Refusal } from "../../../src/domain/families/exchange-b/payment/Refusal.ts"
import { storedTransfer } from "./SignTransfer.ts"

/** So many are remembered of each kind. */
const KEPT = 10_000

/** A payment is refused so often before its nonce is used up: services raise their alarm at the fifth refusal. */
const REFUSALS = 6

/** What a payment pays, whatever its nonce, its fee and its API key. */
const nameOf = (
  paid: {
    readonly memo: string
    readonly to: string
    readonly asset: bigint
    readonly route: bigint
    readonly amount: bigint
  }
): string => `${paid.memo} ${paid.to} ${paid.asset}/${paid.route} ${paid.amount}`

const nameOfSigned = (payment: SignedPayment): string => {
  const { amount, assetIndex: asset, fromRouteType: route, memo, toAccountIndex } = storedTransfer(payment).transfer
  return nameOf({ memo, to: `${toAccountIndex}`, asset, route, amount })
}

const nameOfDue = ({ amount, currency, orderId, recipient }: Payment): string => {
  const { assetIndex: asset, route } = assetOf(currency.address)
  return nameOf({ memo: orderId, to: recipient, asset, route, amount })
}

const keep = <A>(all: Set<A>, each: A): void => {
  all.add(each)
  const [oldest] = all
  if (oldest !== undefined && all.size > KEPT) all.delete(oldest)
}

export class RefusedPayments {
  /** Oldest first. */
  private readonly counts = new Map<TransactionId, number>()
  private readonly hopeless = new Set<string>()
  private readonly ended = new Set<TransactionId>()

  /** True once it was refused so often that its nonce is to be used up. */
  note(payment: SignedPayment, refusal: Refusal): boolean {
    const count = (this.counts.get(payment.transactionId) ?? 0) + 1
    this.counts.delete(payment.transactionId)
    this.counts.set(payment.transactionId, count)
    const [oldest] = this.counts.keys()
    if (oldest !== undefined && this.counts.size > KEPT) this.counts.delete(oldest)
    if (count < REFUSALS) return false
    if (refusal === "hopeless") keep(this.hopeless, nameOfSigned(payment))
    return true
  }

  /** Its nonce is used up, so it can never be executed. */
  end({ transactionId }: SignedPayment): void {
    keep(this.ended, transactionId)
  }

  hasEnded({ transactionId }: SignedPayment): boolean {
    return this.ended.has(transactionId)
  }

  /** Whether the exchange never takes the payment. */
  isHopeless(payment: Payment): boolean {
    return this.hopeless.has(nameOfDue(payment))
  }
}
