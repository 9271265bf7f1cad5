/** One endpoint of a Solana chain, as kit calls it. */
import type { Rpc, SolanaRpcApi } from "@solana/kit"

export type SolanaClient = Rpc<SolanaRpcApi>
