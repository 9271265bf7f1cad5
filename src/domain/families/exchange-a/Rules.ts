/** The rules of exchange A: accounts of EVM keys, deposit addresses too. */
import { hex64, hexTransactionIds } from "../../chain/TransactionId.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { exchangeAAddresses } from "./ExchangeAAddresses.ts"
import { exchangeAExpectations } from "./ExchangeAExpectations.ts"
import { exchangeAWithdrawals } from "./ExchangeAWithdrawal.ts"
import { TransferHint } from "./TransferHint.ts"
import { assetOf, movableUnit } from "./payment/Asset.ts"
import { exchangeASteps } from "./verify/VerifyExchangeASteps.ts"

/** SLIP-44, of EVM accounts: only here they are keys of deposit addresses. */
export const COIN_TYPE = 60

/** The pure half of exchange A's family. */
export const exchangeA: FamilyRules & { readonly coinType: number } = {
  name: "exchangea-vm",
  apiName: "hypevm",
  coinType: COIN_TYPE,
  addresses: () => exchangeAAddresses,
  transactionIds: hexTransactionIds(hex64, "0x", "not 64 hex digits"),
  explorerPath: "/tx/",
  isNumbered: false,
  hasNetworks: false,
  ownsOnHub: false,
  provesByTransaction: true,
  custodyOf: () => undefined,
  withdrawals: exchangeAWithdrawals,
  stepVerifier: exchangeASteps,
  expectations: exchangeAExpectations,
  hint: TransferHint,
  abilities: ["sends"],
  scansSends: false,
  payableUnit: ({ address, decimals }) => movableUnit(assetOf(address), decimals)
}
