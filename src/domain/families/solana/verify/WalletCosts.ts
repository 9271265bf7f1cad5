/** The possible costs of a transaction for the user's own wallet, according to a quote's steps. */
import type { StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import { isOriginSwap } from "../../../quote/OriginSwap.ts"
import { isUserSwap } from "../../../quote/UserSwap.ts"
import { openingOf } from "../../../swap/RouteInstructions.ts"
import { LAMPORTS_A_SIGNATURE, MOST_TOKEN_ACCOUNT_BYTES, mostRent } from "../SolanaCosts.ts"

/**
 * The quote's own figure within bounds: only the chain knows which of the accounts are open, and what a new one must
 * hold (SOLANA-24).
 */
const openingUpTo = (accounts: number, amount: string): ReadonlyArray<bigint> => {
  const told = /^[0-9]{1,20}$/.test(amount) ? BigInt(amount) : 0n
  const most = LAMPORTS_A_SIGNATURE + BigInt(accounts) * mostRent(MOST_TOKEN_ACCOUNT_BYTES)
  return told >= LAMPORTS_A_SIGNATURE && told <= most ? [told] : [most]
}

/** A deposit opens at most the account of its vault or address, a route those that its instructions open besides. */
export const walletCosts: StepVerifier["costs"] = ({ fees: { gas: { amount } }, steps }, request) => {
  if (request.depositFeePayer !== undefined) return [0n]
  const swapsFirst = isOriginSwap(request)
  if (request.depositAddress !== undefined || (!isUserSwap(request) && !swapsFirst)) {
    return openingUpTo(request.originCurrency.isNative ? 0 : 1, amount)
  }
  const openings = steps.flatMap((step) => step.kind === "transaction" ? step.items : [])
    .reduce(
      (sum, { data }) =>
        "instructions" in data ? sum + data.instructions.filter((each) => openingOf(each) !== undefined).length : sum,
      0
    )
  // The swap depositor opens the vault's account, should this be its first deposit.
  return openingUpTo(openings + (swapsFirst ? 1 : 0), amount)
}
