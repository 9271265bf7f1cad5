/**
 * The versions of transactions that are read (SOLANA-23). A node refuses to show a transaction of a newer version than
 * its reader names. One such transaction stops nothing that reads many: it is passed over, and the log names it.
 */
import { isSolanaError, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION } from "@solana/kit"
import type { Signature } from "@solana/kit"
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"

/** The newest version that is read. Earlier ones are 0 and those without a number. */
export const NEWEST_VERSION = 1

const isRefusal = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)

/** Reads in which a transaction of a newer version stands for none. */
export interface NewerVersions {
  /** `otherwise` for a transaction of a newer version. */
  readonly passOver: <A, const B>(chain: Chain, signature: Signature, read: Promise<A>, otherwise: B) => Promise<A | B>
  /** Says what was passed over on a chain since it was last said. */
  readonly tell: (chain: Chain) => Effect.Effect<void>
}

export const makeNewerVersions = (): NewerVersions => {
  const passed = new Map<string, { readonly first: Signature; readonly count: number }>()
  return {
    passOver: async ({ slug }, signature, read, otherwise) => {
      try {
        return await read
      } catch (error) {
        if (!isRefusal(error)) throw error
        const { count, first } = passed.get(slug) ?? { first: signature, count: 0 }
        passed.set(slug, { first, count: count + 1 })
        return otherwise
      }
    },
    tell: ({ slug }) =>
      Effect.suspend(() => {
        const found = passed.get(slug)
        if (found === undefined) return Effect.void
        passed.delete(slug)
        return Effect.logError(
          `${slug}: ${found.count} transactions are of a newer version than this release reads and were passed over, the first is ${found.first}: what they deposit or pay is not seen before a newer release indexes them`
        )
      })
  }
}
