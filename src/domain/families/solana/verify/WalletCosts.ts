/** The possible costs of a transaction for the user's own wallet, according to a quote's steps. */
import type { StepVerifier } from "../../../quote/verify/StepVerifier.ts"
import { isOriginSwap } from "../../../quote/OriginSwap.ts"
import { isUserSwap } from "../../../quote/UserSwap.ts"
import { openingOf } from "../../../swap/RouteInstructions.ts"
import { LAMPORTS_A_SIGNATURE, TOKEN_ACCOUNT_RENT } from "../SolanaCosts.ts"

/** One cost for each number of accounts that must be opened: only the chain knows which are open. */
export const walletCosts: StepVerifier["costs"] = ({ steps }, request) => {
  if (request.depositFeePayer !== undefined) return [0n]
  const opening = (accounts: number) => LAMPORTS_A_SIGNATURE + BigInt(accounts) * TOKEN_ACCOUNT_RENT
  if (request.depositAddress !== undefined) return [opening(request.originCurrency.isNative ? 0 : 1)]
  const swapsFirst = isOriginSwap(request)
  if (!isUserSwap(request) && !swapsFirst) {
    return request.originCurrency.isNative
      ? [opening(0)]
      : [opening(0), opening(1)]
  }
  const openings = steps.flatMap((step) => step.kind === "transaction" ? step.items : [])
    .reduce(
      (sum, { data }) =>
        "instructions" in data ? sum + data.instructions.filter((each) => openingOf(each) !== undefined).length : sum,
      0
    )
  // The swap depositor opens the vault's account, should this be its first deposit.
  return Array.from({ length: openings + (swapsFirst ? 2 : 1) }, (_, accounts) => opening(accounts))
}
