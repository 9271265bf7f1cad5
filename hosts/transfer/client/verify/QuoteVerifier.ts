/** `verifyQuote` of the core as a client uses it: a quote that is not found good rejects, and says what is not. */
import { Result } from "effect"
import { verifyQuote } from "../../../../src/domain/quote/verify/VerifyQuote.ts"
import type { QuoteExpectation } from "../../../../src/domain/quote/verify/VerifyQuote.ts"
import type { QuoteRequest, QuoteVerifier } from "../Client.ts"
import { ClientError } from "../ClientError.ts"
import type { KnownChains } from "./KnownChains.ts"

/** What quotes are compared with. */
export interface VerifierOptions {
  /** From a source that is trusted, never from the service: `knownChains`. */
  readonly known: KnownChains
  /** The account that signs the service's orders, EVM form. */
  readonly solver: string
  /**
   * Names of checks that may stay open, such as what a swap's router does, which no client can judge by itself: simulate
   * what is sent. None by default.
   */
  readonly mayBeUnchecked?: ReadonlyArray<string>
  readonly limits?: QuoteExpectation["limits"]
  /**
   * What the client itself holds a request to be worth, by its own prices. A swap before the deposit is refused without
   * `minimumDeposit`, and a refund on the destination in another currency without `minimumRefundOnDestination`.
   */
  readonly bounds?: (request: QuoteRequest) => QuoteBounds
}

/** The client's own bounds of a quote's amounts, in smallest units. */
export type QuoteBounds = Pick<
  QuoteExpectation,
  "maximumIn" | "minimumDeposit" | "minimumOut" | "minimumRefund" | "minimumRefundOnDestination"
>

/** Throws when `solver` is no account. */
export const quoteVerifier = (
  { bounds = () => ({}), known, limits, mayBeUnchecked = [], solver }: VerifierOptions
): QuoteVerifier => {
  const account = known.settlement.family.addresses(known.settlement.network).parse(solver)
  if (Result.isFailure(account)) throw new Error(`the solver ${solver}: ${account.failure.reason}`)
  const expected = {
    chains: known.chains,
    settlement: known.settlement.slug,
    solver: account.success,
    ...(limits === undefined ? {} : { limits })
  }
  return (quote, request) => {
    const now = Math.floor(Date.now() / 1_000)
    const { checks } = verifyQuote(quote, request, { ...bounds(request), ...expected, now })
    const wrong = checks.filter(({ name, outcome }) =>
      outcome !== "ok" && !(outcome === "unchecked" && mayBeUnchecked.includes(name))
    )
    if (wrong.length === 0) return Promise.resolve()
    const told = wrong.map(({ found, name, outcome }) => `${name} ${outcome}: ${found}`).join("; ")
    return Promise.reject(new ClientError({ kind: "unverified", message: `do not pay by this quote: ${told}` }))
  }
}
