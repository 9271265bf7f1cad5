/**
 * The split of a fill's real costs in the wire shape of feeSponsorship.actual (QUOTE-5, SPONSOR-11), next to what was
 * quoted.
 */
import type { LedgerCurrency } from "../../ledger/Transaction.ts"
import type { MicroUsdc } from "../../ledger/MicroUsdc.ts"
import type { Agreement } from "../../sponsorship/Agreement.ts"
import { actualSplit } from "../../sponsorship/Charge.ts"
import type { Charge, FillSpent } from "../../sponsorship/Charge.ts"
import { isServiceName } from "../../sponsorship/Component.ts"
import { assembleSponsorship } from "./AssembleSponsorship.ts"
import type { ActualSponsorship, QuotedSponsorship } from "../wire/FeeSponsorship.ts"

/** How a sponsored request ended. */
export interface SponsorshipEnd extends FillSpent {
  readonly charge: Charge
  /** What was captured from the app balance. */
  readonly captured: MicroUsdc
  /** The sponsor's currency. */
  readonly currency: LedgerCurrency
}

/** The service's name in the quote, even if the configured name has changed since. */
const serviceNameIn = ({ components }: QuotedSponsorship): string =>
  Object.keys(components).find(isServiceName) ?? "service"

export const assembleActual = (
  quoted: QuotedSponsorship,
  agreement: Agreement,
  end: SponsorshipEnd
): ActualSponsorship => {
  const { maxSubsidizationAmount: cap } = quoted
  const { address, chainId } = end.currency
  return {
    ...assembleSponsorship(actualSplit(agreement, end.charge, end), agreement.feeCurrency, {
      serviceName: serviceNameIn(quoted),
      cap: cap === undefined ? undefined : BigInt(cap)
    }),
    sponsorPayment: { amount: end.captured.toString(), address, chainId }
  }
}
