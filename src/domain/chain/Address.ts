/**
 * Addresses and currencies of all six families, and the choice of the codec (PROTO-3).
 *
 * One codec file a family under `address/`, all of one shape. Only Bitcoin's knows networks.
 */
import type { AddressCodec } from "./address/AddressCodec.ts"
import { bitcoinAddresses } from "./address/Bitcoin.ts"
import type { BitcoinNetwork } from "./address/BitcoinNetwork.ts"
import { ethereumAddresses } from "./address/Ethereum.ts"
import { exchangeAAddresses } from "./address/ExchangeA.ts"
import { exchangeBAddresses } from "./address/ExchangeB.ts"
import { solanaAddresses } from "./address/Solana.ts"
import { tronAddresses } from "./address/Tron.ts"
import type { VmFamily } from "./VmFamily.ts"

export { Address, type AddressCodec, CurrencyAddress, InvalidAddress } from "./address/AddressCodec.ts"
export { BitcoinNetwork } from "./address/BitcoinNetwork.ts"
export { EthereumAddress } from "./address/Ethereum.ts"

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
