/** The rules of Solana. */
import { base58TransactionIds } from "../../chain/TransactionId.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { vaultOf } from "./evidence/Programs.ts"
import { solanaAddresses } from "./SolanaAddresses.ts"
import { solanaExpectations } from "./SolanaExpectations.ts"
import { solanaPaymentUri } from "./SolanaPaymentUri.ts"
import { solanaWithdrawals } from "./SolanaWithdrawal.ts"
import { solanaSwapDeposits } from "./verify/VerifySolanaSwapDeposit.ts"
import { verifySolanaSteps } from "./verify/VerifySolanaSteps.ts"
import { walletCosts } from "./verify/WalletCosts.ts"

/** The registered coin type for wallets (SLIP-44). */
export const SOLANA_COIN_TYPE = 501

/** The pure half of Solana's family. */
export const solana: FamilyRules & { readonly coinType: number } = {
  name: "solana-vm",
  apiName: "svm",
  addresses: () => solanaAddresses,
  transactionIds: base58TransactionIds(64),
  explorerPath: "/tx/",
  isNumbered: false,
  hasNetworks: false,
  coinType: SOLANA_COIN_TYPE,
  ownsOnHub: false,
  provesByTransaction: false,
  custodyOf: vaultOf,
  withdrawals: solanaWithdrawals,
  stepVerifier: { steps: verifySolanaSteps, costs: walletCosts, swapDeposits: solanaSwapDeposits },
  expectations: solanaExpectations,
  paymentUri: solanaPaymentUri,
  abilities: ["sends", "fee-payers", "compute-limits", "route-options", "swaps-before-deposits", "swaps-in-fills"]
}
