/** Whether somebody else than the user pays a part of a transfer's fees, as it was quoted. */
import type { Transfer } from "./Transfer.ts"

export const isSponsored = ({ quote: { feeSponsorship } }: Pick<Transfer, "quote">): boolean =>
  feeSponsorship !== undefined && feeSponsorship.quoted.sponsoredTotal.amount !== "0"
