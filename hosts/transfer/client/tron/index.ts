/** `causeway-kit/client/tron`: wallets of Tron that sign what a node builds, on no library. */
export { type TronSigner, type TronTransaction, tronWallet, type TronWalletOptions } from "./TronWallet.ts"
