/** The rules of Bitcoin. */
import { hex64, hexTransactionIds } from "../../chain/TransactionId.ts"
import { genesisNetwork } from "../../configuration/Network.ts"
import type { AddressCodec } from "../AddressCodec.ts"
import type { FamilyRules } from "../FamilyRules.ts"
import { bitcoinAddresses } from "./BitcoinAddresses.ts"
import { bitcoinPaymentUri } from "./BitcoinPaymentUri.ts"
import type { ChainNetwork } from "../../chain/ChainNetwork.ts"
import { bitcoinWithdrawals } from "./BitcoinWithdrawal.ts"
import { refuseDepositor } from "./steps/RefuseDepositor.ts"
import { bitcoinSteps } from "./verify/VerifyBitcoinSteps.ts"

const codecs: { readonly [N in ChainNetwork]: AddressCodec } = {
  mainnet: bitcoinAddresses("mainnet"),
  testnet: bitcoinAddresses("testnet"),
  regtest: bitcoinAddresses("regtest")
}

/** The registered coin type for wallets (SLIP-44), on every network: the codec tells the networks apart. */
const COIN_TYPE = 0

export const bitcoin: FamilyRules & { readonly coinType: number } = {
  name: "bitcoin-vm",
  apiName: "bvm",
  addresses: (network) => codecs[network],
  transactionIds: hexTransactionIds(hex64, "", "not 64 hex digits"),
  explorerPath: "/tx/",
  isNumbered: false,
  hasNetworks: true,
  coinType: COIN_TYPE,
  ownsOnHub: false,
  provesByTransaction: false,
  custodyOf: () => undefined,
  refuseDepositor,
  withdrawals: bitcoinWithdrawals,
  stepVerifier: bitcoinSteps,
  expectations: genesisNetwork,
  paymentUri: bitcoinPaymentUri,
  abilities: ["sends"]
}
