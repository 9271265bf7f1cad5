/** Who verifies the steps of a quote, by the name of the origin's family. What is in no list is not verified. */
import type { FamilyName } from "../chain/VmFamily.ts"
import type { StepVerifier } from "../quote/verify/StepVerifier.ts"
import { evmSteps } from "./ethereum/verify/VerifyEvmSteps.ts"
import { verifySolanaSteps } from "./solana/verify/VerifySolanaSteps.ts"
import { walletCosts } from "./solana/verify/WalletCosts.ts"

export type StepVerifiers = ReadonlyMap<FamilyName, StepVerifier>

/** Those of this version. */
export const stepVerifiers: StepVerifiers = new Map<FamilyName, StepVerifier>([
  ["ethereum-vm", evmSteps],
  ["solana-vm", { steps: verifySolanaSteps, costs: walletCosts }]
])
