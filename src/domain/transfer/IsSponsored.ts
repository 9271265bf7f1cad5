/** Whether a sponsor pays a part of a transfer's fees, as quoted. */
import type { Transfer } from "./Transfer.ts"

export const isSponsored = ({ quote: { feeSponsorship } }: Pick<Transfer, "quote">): boolean =>
  feeSponsorship !== undefined && feeSponsorship.quoted.sponsoredTotal.amount !== "0"
