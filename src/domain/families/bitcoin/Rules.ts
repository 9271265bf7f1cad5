/** The rules of Bitcoin. */
import { hex64, hexTransactionIds } from "../../chain/TransactionId.ts"
import { genesisNetwork } from "../../configuration/Network.ts"
import type { AddressCodec } from "../AddressCodec.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { bitcoinAddresses } from "./BitcoinAddresses.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import { bitcoinWithdrawals } from "./BitcoinWithdrawal.ts"
import { refuseDepositor } from "./steps/RefuseDepositor.ts"

const codecs: { readonly [N in ChainNetwork]: AddressCodec } = {
  mainnet: bitcoinAddresses("mainnet"),
  testnet: bitcoinAddresses("testnet"),
  regtest: bitcoinAddresses("regtest")
}

export const bitcoin: FamilyRules = {
  name: "bitcoin-vm",
  apiName: "bvm",
  addresses: (network) => codecs[network],
  transactionIds: hexTransactionIds(hex64, "", "not 64 hex digits"),
  explorerPath: "/tx/",
  isNumbered: false,
  hasNetworks: true,
  ownsOnHub: false,
  provesByTransaction: false,
  custodyOf: () => undefined,
  refuseDepositor,
  withdrawals: bitcoinWithdrawals,
  expectations: genesisNetwork,
  abilities: []
}
