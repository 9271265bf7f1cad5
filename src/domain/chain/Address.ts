/** Addresses and currencies, whatever the family; a family's codec is in its rules (PROTO-3). */
export { Address, type AddressCodec, CurrencyAddress, InvalidAddress } from "../families/AddressCodec.ts"
export { EthereumAddress } from "../families/ethereum/EthereumAddresses.ts"
