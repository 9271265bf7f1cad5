/**
 * How much of a deposit is missing for the payments that were made for it (REFUND-8). A reorg can take a deposit back
 * and bring it back under its id with another amount: a transaction that moves a balance moves what is there when it is
 * executed.
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

/** A refund returns what was deposited. All else is paid for the quoted currency. */
const inputOf = ({ originChainId, originCurrency }: ExcessTerms, payment: PaidFor) =>
  isRefund(payment)
    ? { chainId: payment.chainId, currency: payment.currency }
    : { chainId: originChainId, currency: originCurrency }

/** The part of its deposit that a payment was made for: at a strict address the excess has a payment of its own. */
const partOf = (terms: ExcessTerms, payment: PaidFor): bigint | undefined => {
  const { deposited, leg } = payment
  if (deposited === undefined || isRefund(payment)) return deposited
  const excess = excessOf({ terms }, { ...inputOf(terms, payment), amount: deposited })
  return leg.startsWith("excess:") ? excess : deposited - excess
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
  let paidFor = 0n
  for (const payment of payments) {
    const part = partOf(terms, payment)
    if (part === undefined) return undefined
    paidFor += part
  }
  // SECURITY: another currency under the same id is worth nothing here.
  const isTheirs = there !== undefined && payments.every((payment) => {
    const { chainId, currency } = inputOf(terms, payment)
    return there.chainId === chainId && there.currency === currency
  })
  const missing = paidFor - (isTheirs ? there.amount : 0n)
  return missing > 0n ? missing : 0n
}
