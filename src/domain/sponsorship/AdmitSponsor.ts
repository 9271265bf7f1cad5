/**
 * Whether a sponsor may pay what a quote would draw (SPONSOR-2), decided at quote time. The result is a refusal, never
 * a silent change of payer. SECURITY: this only checks; the money is taken by the hold at the deposit. Two requests may
 * pass here on the same balance.
 */
import * as Result from "effect/Result"
import type { MicroUsdc } from "../ledger/MicroUsdc.ts"
import type { Address } from "../chain/Address.ts"
import { QuoteRefused } from "../quote/QuoteError.ts"

/** What is known about the caller that asks for a sponsored quote. Amounts in micro-USDC. */
export type SponsorFacts =
  | { readonly _tag: "NoKey" }
  | {
    readonly _tag: "Key"
    readonly wallet: Address | undefined
    /** The wallet's balance less its holds. */
    readonly available: MicroUsdc
    /** What the key may still spend; undefined when it has no budget. */
    readonly budgetLeft: MicroUsdc | undefined
  }

/**
 * The wallet that pays `draw`, or UNAUTHORIZED (401), SPONSOR_WALLET_NOT_LINKED, INSUFFICIENT_APP_BALANCE,
 * SPONSOR_BUDGET_EXCEEDED (400), in this order.
 */
export const admitSponsor = (facts: SponsorFacts, draw: MicroUsdc): Result.Result<Address, QuoteRefused> => {
  if (facts._tag === "NoKey") {
    return Result.fail(
      new QuoteRefused({ code: "UNAUTHORIZED", field: "subsidizeFees", message: "subsidizeFees needs an x-api-key" })
    )
  }
  if (facts.wallet === undefined) {
    return Result.fail(
      new QuoteRefused({
        code: "SPONSOR_WALLET_NOT_LINKED",
        field: "subsidizeFees",
        message: "link a wallet to this API key to sponsor fees"
      })
    )
  }
  if (draw > facts.available) {
    return Result.fail(
      new QuoteRefused({
        code: "INSUFFICIENT_APP_BALANCE",
        field: "subsidizeFees",
        message:
          `the app balance of ${facts.wallet} has ${facts.available} micro-USDC available and this request draws ${draw}`
      })
    )
  }
  if (facts.budgetLeft !== undefined && draw > facts.budgetLeft) {
    return Result.fail(
      new QuoteRefused({
        code: "SPONSOR_BUDGET_EXCEEDED",
        field: "subsidizeFees",
        message: `the budget of this API key has ${facts.budgetLeft} micro-USDC left and this request draws ${draw}`
      })
    )
  }
  return Result.succeed(facts.wallet)
}
