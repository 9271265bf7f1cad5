/** Payments as they are stored, and as they are read with their variants. */
import type { PaymentPurpose, PaymentVariant, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { SignedPayment } from "../../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { ascending } from "../../Ordering.ts"
import type { PaymentRow, StoredPurpose } from "../../rows/OrderRows.ts"
import { WriteRefused } from "../../Table.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"

type Numbered = Pick<PaymentRow, "account" | "chainId" | "sequence">

const numberOf = ({ account, chainId, sequence }: Numbered): string => keyOf(chainId, account, sequence)

const isPurpose = (leg: StoredPurpose): leg is PaymentPurpose => !leg.includes("!")

const toStored = (row: PaymentRow, [first, ...others]: ReadonlyArray<PaymentVariant>): StoredPayment | undefined =>
  first === undefined || row.state === "void" || !isPurpose(row.leg) ? undefined : {
    orderId: row.orderId,
    leg: row.leg,
    deposit: row.deposit,
    chainId: row.chainId,
    account: row.account,
    sequence: row.sequence,
    currency: row.currency,
    amount: row.amount,
    ...(row.deposited === undefined ? {} : { deposited: row.deposited }),
    transactionId: row.transactionId,
    raw: row.raw,
    state: row.state,
    ...(row.gasPaid === undefined ? {} : { gasPaid: row.gasPaid }),
    variants: [first, ...others]
  }

/** The order's payment for a purpose; undefined when it has none. */
export const readPayment = (tables: Tables, orderId: string, leg: PaymentPurpose): StoredPayment | undefined => {
  const row = tables.payments.get(keyOf(orderId, leg))
  if (row === undefined) return undefined
  const variants = tables.variantsAt(numberOf(row)).toSorted(ascending(({ variant }) => variant)).map((
    { raw, signedAt, transactionId }
  ) => ({ transactionId, raw, signedAt }))
  return toStored(row, variants)
}

/** A sequence of an account has one payment, set aside or not. */
export const addPayment = ({ payments, paymentsAt }: Tables, row: PaymentRow): void => {
  if (paymentsAt(numberOf(row)).length > 0) throw new WriteRefused(`the sequence ${numberOf(row)} is used`)
  payments.add(keyOf(row.orderId, row.leg), row)
}

export const addVariant = (
  { variants, variantsAt }: Tables,
  { account, chainId, sequence }: Numbered,
  variant: number,
  { raw, transactionId }: SignedPayment,
  signedAt: number
): void => {
  const isTaken = variantsAt(keyOf(chainId, account, sequence)).some((each) => each.variant === variant)
  if (isTaken) throw new WriteRefused(`variant ${variant} is there`)
  variants.add(transactionId, { account, chainId, sequence, variant, raw, transactionId, signedAt })
}

/** What payments that are in no block yet can still take from a holding. */
export const committedOf = (
  { costs, paymentsInFlight }: Tables,
  chainId: ChainId,
  { currency, holder }: { readonly currency: string; readonly holder: string }
): bigint =>
  paymentsInFlight(String(chainId)).flatMap(({ transactionId }) => costs.get(transactionId) ?? []).reduce(
    (sum, cost) => cost.currency === currency && cost.holder === holder ? sum + cost.amount : sum,
    0n
  )
