/** The rules of Tron: contracts as on EVM chains, addresses of its own. */
import { hex64, hexTransactionIds } from "../../chain/TransactionId.ts"
import { evmExpectations } from "../ethereum/EvmExpectations.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { accountOfTron, tronAddresses, tronOfAccount } from "./TronAddresses.ts"
import { tronWithdrawals } from "./TronWithdrawal.ts"

export const tron: FamilyRules = {
  name: "tron-vm",
  apiName: "tvm",
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
  expectations: evmExpectations,
  abilities: ["sends"]
}
