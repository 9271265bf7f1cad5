/**
 * Addresses and currencies of all six families, and the choice of the codec (PROTO-3).
 *
 * One codec file a family under `address/`, all of one shape. Only Bitcoin's knows networks.
 */
import type { AddressCodec } from "../families/AddressCodec.ts"
import { bitcoinAddresses } from "../families/bitcoin/BitcoinAddresses.ts"
import type { BitcoinNetwork } from "../families/bitcoin/BitcoinNetwork.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import { exchangeAAddresses } from "../families/exchange-a/ExchangeAAddresses.ts"
import { exchangeBAddresses } from "../families/exchange-b/ExchangeBAddresses.ts"
import { solanaAddresses } from "../families/solana/SolanaAddresses.ts"
import { tronAddresses } from "../families/tron/TronAddresses.ts"
import type { VmFamily } from "./VmFamily.ts"

export { Address, type AddressCodec, CurrencyAddress, InvalidAddress } from "../families/AddressCodec.ts"
export { BitcoinNetwork } from "../families/bitcoin/BitcoinNetwork.ts"
export { EthereumAddress } from "../families/ethereum/EthereumAddresses.ts"

const bitcoin: { readonly [N in BitcoinNetwork]: AddressCodec } = {
  mainnet: bitcoinAddresses("mainnet"),
  testnet: bitcoinAddresses("testnet"),
  regtest: bitcoinAddresses("regtest")
}

/** The address codec of a family; `network` matters to bitcoin-vm alone and is mainnet unless named. */
export const addressCodec = (family: VmFamily, network: BitcoinNetwork = "mainnet"): AddressCodec => {
  switch (family) {
    case "ethereum-vm":
      return ethereumAddresses
    case "solana-vm":
      return solanaAddresses
    case "bitcoin-vm":
      return bitcoin[network]
    case "exchangea-vm":
      return exchangeAAddresses
    case "exchangeb-vm":
      return exchangeBAddresses
    case "tron-vm":
      return tronAddresses
  }
}
