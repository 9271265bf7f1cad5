/** `causeway-kit/client/solana`: wallets of Solana by `@solana/kit`. */
export { solanaWallet, type SolanaWalletOptions } from "./SolanaWallet.ts"
