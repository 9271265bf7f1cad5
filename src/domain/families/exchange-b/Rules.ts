/** The rules of exchange B. */
import { hexTransactionIds } from "../../chain/TransactionId.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { exchangeBAddresses } from "./ExchangeBAddresses.ts"
import { exchangeBExpectations } from "./ExchangeBExpectations.ts"
import { orderIdIn } from "./evidence/Transfer.ts"
import { exchangeBWithdrawals } from "./ExchangeBWithdrawal.ts"
import { exchangeBSteps } from "./verify/VerifyExchangeBSteps.ts"

/** Hashes have 32 to 64 bytes: the hash of the L1 message has 32, the rollup's own has 40. */
const hash = /^(?:0[xX])?((?:[0-9a-fA-F]{2}){32,64})$/

export const exchangeB: FamilyRules = {
  name: "exchangeb-vm",
  apiName: "lvm",
  addresses: () => exchangeBAddresses,
  transactionIds: hexTransactionIds(hash, "", "not the hex of 32 to 64 bytes"),
  explorerPath: "/logs/",
  isNumbered: false,
  noDepositAddresses: "an account's index follows from no key",
  hasNetworks: false,
  ownsOnHub: false,
  provesByTransaction: true,
  custodyOf: () => undefined,
  withdrawals: exchangeBWithdrawals,
  stepVerifier: exchangeBSteps,
  expectations: exchangeBExpectations,
  abilities: ["sends"],
  scansSends: false,
  canName: (id) => orderIdIn(id) !== undefined
}
