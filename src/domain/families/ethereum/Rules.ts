/** The rules of EVM chains. */
import * as Result from "effect/Result"
import { hex64, hexTransactionIds } from "../../chain/TransactionId.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { ethereumAddresses } from "./EthereumAddresses.ts"
import { ethereumPaymentUri } from "./EthereumPaymentUri.ts"
import { evmExpectations } from "./EvmExpectations.ts"
import { ethereumWithdrawals } from "./EthereumWithdrawal.ts"
import { evmSteps } from "./verify/VerifyEvmSteps.ts"
import { evmSwapDeposits } from "./verify/VerifyEvmSwapDeposit.ts"

export const ethereum: FamilyRules = {
  name: "ethereum-vm",
  apiName: "evm",
  addresses: () => ethereumAddresses,
  transactionIds: hexTransactionIds(hex64, "0x", "not 64 hex digits"),
  routers: { toAccount: ethereumAddresses.parse, ofAccount: Result.succeed },
  explorerPath: "/tx/",
  isNumbered: true,
  hasNetworks: false,
  ownsOnHub: true,
  provesByTransaction: false,
  custodyOf: () => undefined,
  withdrawals: ethereumWithdrawals,
  stepVerifier: { ...evmSteps, swapDeposits: evmSwapDeposits },
  expectations: evmExpectations,
  paymentUri: ethereumPaymentUri,
  callsRecipients: true,
  abilities: [
    "sends",
    "calls",
    "permits",
    "authorizations",
    "gas-topups",
    "named-transfers",
    "swaps-before-deposits",
    "swaps-in-fills",
    "native-swaps-for-others"
  ]
}
