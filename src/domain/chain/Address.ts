/** Addresses and currencies of every family. A family's codec is in its rules (PROTO-3). */
export { Address, type AddressCodec, CurrencyAddress, InvalidAddress } from "../families/AddressCodec.ts"
export { EthereumAddress } from "../families/ethereum/EthereumAddresses.ts"
