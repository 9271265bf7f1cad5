/**
 * Who pays the fees of what comes to an open deposit address that was quoted with a sponsor: the one place that decides
 * it.
 *
 * The quote's sponsorship is for one deposit, of at least what was quoted for the address. Everything that comes
 * besides is a stranger's to repeat, and draws on what the key allows later deposits of an address, if anything.
 * SECURITY: this says what a deposit may ask for; that one has it at a time, and how much is left, is for the store
 * (`SponsorHolds`).
 */
import { maxOf, minOf } from "../money/Rounding.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { quotedInput } from "../sponsorship/Agreement.ts"
import type { Agreement } from "../sponsorship/Agreement.ts"
import { splitSponsorship } from "../sponsorship/SplitSponsorship.ts"
import { leastDeposit } from "../transfer/Transfer.ts"
import type { TransferTerms } from "../transfer/Transfer.ts"
import type { Arrived } from "./LaterRequest.ts"

/** What has come, and the least that the order it names was quoted for: smallest units of what has come. */
export type Came = Arrived & { readonly least: bigint }

/**
 * `quote`: the sponsorship that the address was quoted with, as long as no other deposit has it. `later`: the key's
 * budget for later deposits. `user`: nobody else. `first`: the terms that the address was quoted with.
 */
export const sponsorshipOfArrival = (
  first: Pick<TransferTerms, "amountIn" | "originSwap" | "originChainId" | "originCurrency" | "sponsorship">,
  came: Came
): "quote" | "later" | "user" => {
  if (first.sponsorship === undefined || came.units < came.least) return "user"
  const isQuoted = came.chainId === first.originChainId && came.currency === first.originCurrency
  return isQuoted && came.units >= leastDeposit(first) ? "quote" : "later"
}

/**
 * What a quote lets its sponsor be charged, micro-USDC: what is drawn, and that with the app fees which the sponsor
 * takes over.
 */
export const quotedWorth = (agreement: Agreement): { readonly draw: MicroUsdc; readonly worth: MicroUsdc } => {
  const { draw, receivable } = splitSponsorship(quotedInput(agreement))
  return { draw, worth: MicroUsdc(draw + receivable) }
}

/** What is left of an address's budget beside what others were quoted with and will take of it, micro-USDC. */
export const leftBeside = (left: MicroUsdc, others: ReadonlyArray<Agreement>): MicroUsdc =>
  MicroUsdc(maxOf(0n, others.reduce((rest, each) => rest - quotedWorth(each).worth, BigInt(left))))

/** The cap of a later deposit's request: its own, and what there is for it. */
export const capWithin = (own: MicroUsdc | undefined, left: MicroUsdc): MicroUsdc =>
  MicroUsdc(maxOf(0n, own === undefined ? left : minOf(own, left)))
