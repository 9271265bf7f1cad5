/** The claims of payments: held from the signature until the payment is set aside. */
import type { AccountPayment, PaymentClaim, Claimant } from "../../../../ports/chain/Treasury.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import type { PaymentRow } from "../../rows/OrderRows.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"

type Numbered = Pick<PaymentRow, "account" | "chainId" | "sequence">

const numberOf = ({ account, chainId, sequence }: Numbered): string => keyOf(chainId, account, sequence)

/** The payments that hold claims and are in no block yet, and those that hold one of these. */
export const claimantsOf = (
  { claimsAt, paymentClaims, payments }: Tables,
  chainId: ChainId,
  { claimable }: Pick<AccountPayment, "claimable">
): ReadonlyArray<Claimant> => {
  if (claimable === undefined) return []
  const wanted = new Set<string>(
    claimable.flatMap((claim) => {
      const held = paymentClaims.get(keyOf(chainId, claim))
      return held === undefined ? [] : [numberOf(held)]
    })
  )
  return payments.all().filter((row) =>
    row.chainId === chainId && (row.state === "signed" || row.state === "sent" || wanted.has(numberOf(row)))
  ).flatMap((row) => {
    const { raw, transactionId } = row
    const isInFlight = row.state === "signed" || row.state === "sent"
    const claims = claimsAt(numberOf(row)).map(({ claim }) => claim)
      .filter((claim) => isInFlight || claimable.includes(claim)).toSorted()
    return claims.length === 0 ? [] : [{ transactionId, raw, claims, signedAt: row.signedAt }]
  }).toSorted((one, other) => one.signedAt - other.signedAt || (one.transactionId < other.transactionId ? -1 : 1)).map((
    { claims, raw, transactionId }
  ) => ({ transactionId, raw, claims }))
}

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
