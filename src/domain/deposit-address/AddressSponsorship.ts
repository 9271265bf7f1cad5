/**
 * Who pays the fees of deposits at an open deposit address that was quoted with a sponsor. Decided here only.
 *
 * The quote's sponsorship is for one deposit of at least the quoted amount. Strangers can repeat every other deposit,
 * so these draw only on the budget that the key has for later deposits of an address, if any. SECURITY: this says what
 * a deposit may ask for. The store (`SponsorHolds`) makes sure that one deposit at a time has it, and knows how much is
 * left.
 */
import { maxOf, minOf } from "../money/Rounding.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { quotedInput } from "../sponsorship/Agreement.ts"
import type { Agreement } from "../sponsorship/Agreement.ts"
import { splitSponsorship } from "../sponsorship/SplitSponsorship.ts"
import { leastDeposit } from "../transfer/Transfer.ts"
import type { TransferTerms } from "../transfer/Transfer.ts"
import type { Arrived } from "./LaterRequest.ts"

/** The deposit, and the least amount that its order was quoted for. Smallest units of the deposited currency. */
export type Came = Arrived & { readonly least: bigint }

/**
 * `quote`: the sponsorship of the address's quote, while no other deposit has it. `later`: the key's budget for later
 * deposits. `user`: the user pays. `first`: the terms of the address's quote.
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
 * What a quote may charge its sponsor, micro-USDC. `draw` is the quoted draw; `worth` adds the app fees that the
 * sponsor pays.
 */
export const quotedWorth = (agreement: Agreement): { readonly draw: MicroUsdc; readonly worth: MicroUsdc } => {
  const { draw, receivable } = splitSponsorship(quotedInput(agreement))
  return { draw, worth: MicroUsdc(draw + receivable) }
}

/** What is left of an address's budget after what other quotes of it will take, micro-USDC. */
export const leftBeside = (left: MicroUsdc, others: ReadonlyArray<Agreement>): MicroUsdc =>
  MicroUsdc(maxOf(0n, others.reduce((rest, each) => rest - quotedWorth(each).worth, BigInt(left))))

/** The cap of a later deposit's request: its own cap, limited to what is left. */
export const capWithin = (own: MicroUsdc | undefined, left: MicroUsdc): MicroUsdc =>
  MicroUsdc(maxOf(0n, own === undefined ? left : minOf(own, left)))
