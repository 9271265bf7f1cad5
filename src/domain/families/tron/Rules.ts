/** The rules of Tron: contracts as on EVM chains, addresses of its own; deposit addresses are keys. */
import { hex64, hexTransactionIds } from "../../chain/TransactionId.ts"
import { evmExpectations } from "../ethereum/EvmExpectations.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { accountOfTron, tronAddresses, tronOfAccount } from "./TronAddresses.ts"
import { tronWithdrawals } from "./TronWithdrawal.ts"
import { tronSteps } from "./verify/VerifyTronSteps.ts"

/** SLIP-44. */
export const COIN_TYPE = 195

/** The pure half of Tron's family. */
export const tron: FamilyRules & { readonly coinType: number } = {
  name: "tron-vm",
  apiName: "tvm",
  coinType: COIN_TYPE,
  addresses: () => tronAddresses,
  transactionIds: hexTransactionIds(hex64, "", "not 64 hex digits"),
  routers: { toAccount: accountOfTron, ofAccount: tronOfAccount },
  explorerPath: "/#/transaction/",
  isNumbered: true,
  hasNetworks: false,
  ownsOnHub: false,
  provesByTransaction: false,
  custodyOf: () => undefined,
  withdrawals: tronWithdrawals,
  stepVerifier: tronSteps,
  expectations: evmExpectations,
  callsRecipients: true,
  addressesPayForSweeps: true,
  abilities: ["sends"]
}
