/** `causeway-kit/client/ethereum`: wallets of EVM chains by their provider's interface (EIP-1193), on no library. */
export { type Eip1193Provider, ethereumWallet, type EthereumWalletOptions } from "./EthereumWallet.ts"
