/** `causeway-kit/client/bitcoin`: wallets of Bitcoin that sign PSBTs, on no library. */
export { bitcoinWallet, type BitcoinWalletOptions } from "./BitcoinWallet.ts"
