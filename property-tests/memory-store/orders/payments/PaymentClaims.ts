/** The claims of payments: held from the signature until the payment is set aside. */
import type { AccountPayment, PaymentClaim, Claimant } from "../../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { PaymentRow } from "../../rows/OrderRows.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"

type Numbered = Pick<PaymentRow, "account" | "chainId" | "sequence">

const numberOf = ({ account, chainId, sequence }: Numbered): string => keyOf(chainId, account, sequence)

/** The payments that hold claims of which this is true, in the order in which they were signed. */
const claimants = (
  { claimsAt, payments }: Tables,
  chainId: ChainId,
  isShown: (row: PaymentRow, claim: PaymentClaim) => boolean
): ReadonlyArray<Claimant> =>
  payments.all().filter((row) => row.chainId === chainId && row.state !== "void").flatMap((row) => {
    const { raw, signedAt, transactionId } = row
    const claims = claimsAt(numberOf(row)).map(({ claim }) => claim).filter((claim) => isShown(row, claim)).toSorted()
    return claims.length === 0 ? [] : [{ transactionId, raw, claims, signedAt }]
  }).toSorted((one, other) => one.signedAt - other.signedAt || (one.transactionId < other.transactionId ? -1 : 1)).map((
    { claims, raw, transactionId }
  ) => ({ transactionId, raw, claims }))

/** Those that are in no block yet, and those that hold one of these. */
export const claimantsOf = (
  tables: Tables,
  chainId: ChainId,
  { claimable }: Pick<AccountPayment, "claimable">
): ReadonlyArray<Claimant> =>
  claimable === undefined
    ? []
    : claimants(
      tables,
      chainId,
      ({ state }, claim) => state === "signed" || state === "sent" || claimable.includes(claim)
    )

/** Those that hold one of these. */
export const holdersOf = (
  tables: Tables,
  chainId: ChainId,
  claims: ReadonlyArray<PaymentClaim>
): ReadonlyArray<Claimant> => claimants(tables, chainId, (_, claim) => claims.includes(claim))

/** Whether a payment holds one of them. */
export const isClaimed = ({ paymentClaims }: Tables, chainId: ChainId, claims: ReadonlyArray<PaymentClaim>): boolean =>
  claims.some((claim) => paymentClaims.has(keyOf(chainId, claim)))

export const addClaims = (
  { paymentClaims }: Tables,
  { account, chainId, sequence }: Numbered,
  claims: ReadonlyArray<PaymentClaim>
): void => {
  for (const claim of claims) paymentClaims.add(keyOf(chainId, claim), { account, chainId, sequence, claim })
}

/** Frees the claims of a payment that was set aside. */
export const freeClaims = ({ claimsAt, paymentClaims }: Tables, payment: Numbered): void => {
  for (const { chainId, claim } of claimsAt(numberOf(payment))) paymentClaims.remove(keyOf(chainId, claim))
}
