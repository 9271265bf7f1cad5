/** The rules of ledger-vm: the pure half of the family, with all that the core asks of it. */
import { type Chain, type Expectation, hexTransactionIds, type KeyFamily } from "causeway-kit"
import { family, ledgerAddresses } from "./LedgerAddresses.ts"
import { ledgerWithdrawals } from "./LedgerWithdrawal.ts"
import { ledgerSteps } from "./VerifyLedgerSteps.ts"

/**
 * Amounts are scaled by the ledger's decimals. With other decimals in the configuration, wrong amounts would be paid.
 */
const expectations = (chain: Omit<Chain, "family">): ReadonlyArray<Expectation> => {
  const covers = { _tag: "Chain", chainId: chain.id } as const
  return [
    ...(chain.genesisHash === undefined
      ? []
      : [
        {
          entry: "genesisHash",
          ask: { _tag: "Network" },
          configured: chain.genesisHash,
          covers,
          weight: "refuses"
        } as const
      ]),
    ...chain.currencies.map(({ address, decimals, symbol }) =>
      ({
        entry: `currencies.${symbol}.decimals`,
        ask: { _tag: "Decimals", of: address },
        configured: `${decimals}`,
        covers,
        weight: "refuses"
      }) as const
    )
  ]
}

export const ledgerRules: KeyFamily = {
  name: family,
  apiName: "ledger",
  addresses: () => ledgerAddresses,
  transactionIds: hexTransactionIds(/^(?:0[xX])?([0-9a-fA-F]{64})$/, "", "not 64 hex digits"),
  explorerPath: "/v1/transfers/",
  isNumbered: false,
  hasNetworks: false,
  // No ledger has registered one (SLIP-44): this one is for test networks of all coins.
  coinType: 1,
  ownsOnHub: false,
  provesByTransaction: false,
  custodyOf: () => undefined,
  withdrawals: ledgerWithdrawals,
  stepVerifier: ledgerSteps,
  expectations,
  abilities: ["sends"]
}
