/**
 * The verifiers of a quote's steps, by the name of the origin's family. The steps of a family without a verifier stay
 * unverified.
 */
import type { FamilyName } from "../chain/VmFamily.ts"
import type { StepVerifier } from "../quote/verify/StepVerifier.ts"
import { bitcoinSteps } from "./bitcoin/verify/VerifyBitcoinSteps.ts"
import { evmSteps } from "./ethereum/verify/VerifyEvmSteps.ts"
import { evmSwapDeposits } from "./ethereum/verify/VerifyEvmSwapDeposit.ts"
import { solanaSwapDeposits } from "./solana/verify/VerifySolanaSwapDeposit.ts"
import { verifySolanaSteps } from "./solana/verify/VerifySolanaSteps.ts"
import { walletCosts } from "./solana/verify/WalletCosts.ts"
import { exchangeASteps } from "./exchange-a/verify/VerifyExchangeASteps.ts"
import { exchangeBSteps } from "./exchange-b/verify/VerifyExchangeBSteps.ts"
import { tronSteps } from "./tron/verify/VerifyTronSteps.ts"

export type StepVerifiers = ReadonlyMap<FamilyName, StepVerifier>

/** The step verifiers of this version. */
export const stepVerifiers: StepVerifiers = new Map<FamilyName, StepVerifier>([
  ["ethereum-vm", { ...evmSteps, swapDeposits: evmSwapDeposits }],
  ["solana-vm", { steps: verifySolanaSteps, costs: walletCosts, swapDeposits: solanaSwapDeposits }],
  ["bitcoin-vm", bitcoinSteps],
  ["tron-vm", tronSteps],
  ["exchangea-vm", exchangeASteps],
  ["exchangeb-vm", exchangeBSteps]
])
