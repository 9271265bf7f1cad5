/**
 * How much of a deposit is missing for the payments that were made for it (REFUND-8), and how much of it none was made
 * for (REFUND-9). A reorg can take a deposit back and bring it back under its id with another amount: a transaction that
 * moves a balance moves what is there when it is executed.
 */
import type { ChainId } from "../../chain/ChainId.ts"
import type { CurrencyAddress } from "../../chain/Address.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { excessOf } from "../refund/Excess.ts"
import type { ExcessTerms } from "../refund/Excess.ts"

/** The fields of a stored payment that this depends on, as in `ports/Payments`. */
export interface PaidFor {
  readonly leg: string
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  /** What its deposit had when it was signed; undefined when that is not known. */
  readonly deposited?: bigint | undefined
}

const isRefund = ({ leg }: PaidFor): boolean => leg.startsWith("refund:")

const isExcess = ({ leg }: PaidFor): boolean => leg.startsWith("excess:")

/** A refund, and what is returned beside one, is of the deposit's currency. A delivery is paid for the quoted one. */
const inputOf = ({ originChainId, originCurrency }: ExcessTerms, payment: PaidFor) =>
  isRefund(payment) || isExcess(payment)
    ? { chainId: payment.chainId, currency: payment.currency }
    : { chainId: originChainId, currency: originCurrency }

/** The part of its deposit that a payment was made for: at a strict address the excess has a payment of its own. */
const partOf = (terms: ExcessTerms, payment: PaidFor): bigint | undefined => {
  const { deposited } = payment
  if (deposited === undefined || isRefund(payment)) return deposited
  const excess = excessOf({ terms }, { ...inputOf(terms, payment), amount: deposited })
  return isExcess(payment) ? excess : deposited - excess
}

/**
 * How much of a deposit these payments were made for. An excess is all of it that the payment beside it was not made
 * for. Undefined when that is not known of one of them.
 */
const paidForOf = (terms: ExcessTerms, payments: ReadonlyArray<PaidFor>): bigint | undefined => {
  const others = payments.filter((payment) => !isExcess(payment))
  let parts = 0n
  for (const payment of others.length === 0 ? payments : others) {
    const part = partOf(terms, payment)
    if (part === undefined) return undefined
    parts += part
  }
  if (others.length === 0) return parts
  for (const { deposited } of payments.filter(isExcess)) {
    if (deposited === undefined) return undefined
    if (deposited > parts) parts = deposited
  }
  return parts
}

/** What is there of a deposit for its payments. SECURITY: another currency under the same id is worth nothing here. */
const thereFor = (
  terms: ExcessTerms,
  payments: ReadonlyArray<PaidFor>,
  there: Pick<Deposit, "amount" | "chainId" | "currency"> | undefined
): bigint => {
  const isTheirs = there !== undefined && payments.every((payment) => {
    const { chainId, currency } = inputOf(terms, payment)
    return there.chainId === chainId && there.currency === currency
  })
  return isTheirs ? there.amount : 0n
}

/**
 * `payments`: those for this deposit that are not reverted. `there`: the deposit as its chain has it; undefined while it
 * is gone. Undefined when it is not known what one of the payments was made for.
 */
export const missingOf = (
  { terms }: { readonly terms: ExcessTerms },
  payments: ReadonlyArray<PaidFor>,
  there: Pick<Deposit, "amount" | "chainId" | "currency"> | undefined
): bigint | undefined => {
  const paidFor = paidForOf(terms, payments)
  if (paidFor === undefined) return undefined
  const missing = paidFor - thereFor(terms, payments, there)
  return missing > 0n ? missing : 0n
}

/**
 * The part of a deposit that its payments were not made for: what came back more than left (REFUND-9), and at a strict
 * address the excess that is not paid. Smallest units. Undefined as above, and when there is no payment.
 */
export const unpaidOf = (
  { terms }: { readonly terms: ExcessTerms },
  payments: ReadonlyArray<PaidFor>,
  there: Pick<Deposit, "amount" | "chainId" | "currency">
): bigint | undefined => {
  const paidFor = payments.length === 0 ? undefined : paidForOf(terms, payments)
  if (paidFor === undefined) return undefined
  const unpaid = thereFor(terms, payments, there) - paidFor
  return unpaid > 0n ? unpaid : 0n
}
