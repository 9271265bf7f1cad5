/**
 * The versions of transactions that are read (SOLANA-23). A node refuses to show a transaction of a newer version than
 * its reader names. One such transaction stops nothing that reads many: it is passed over, and the log names it.
 */
import { isSolanaError, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION } from "@solana/kit"
import type { Signature } from "@solana/kit"
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"

/** The newest version that is read. Earlier ones are 0 and those without a number. */
export const NEWEST_VERSION = 1

const isRefusal = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)

/** Signatures that are remembered per chain, so that each is told once. The oldest are forgotten. */
const MOST_TOLD = 20_000

/** Signatures of one line of the log. */
const OF_A_LINE = 50

/** Reads in which a transaction of a newer version stands for none. */
export interface NewerVersions {
  /** `otherwise` for a transaction of a newer version. */
  readonly passOver: <A, const B>(chain: Chain, signature: Signature, read: Promise<A>, otherwise: B) => Promise<A | B>
  /** Logs what was passed over on a chain since this was last asked, each transaction once, and returns it. */
  readonly tell: (chain: Chain) => Effect.Effect<ReadonlyArray<TransactionId>>
}

/** In a set, what is first was added first. */
const withNewest = (told: Set<Signature>, signature: Signature): void => {
  told.add(signature)
  const [oldest] = told
  if (told.size > MOST_TOLD && oldest !== undefined) told.delete(oldest)
}

const lineOf = (slug: string, signatures: ReadonlyArray<Signature>): string =>
  `${slug}: ${signatures.length} transactions are of a newer version than this release reads and were passed over. What they deposit or pay is not seen before a newer release indexes them (POST /transactions/index): ${
    signatures.join(", ")
  }`

export const makeNewerVersions = (): NewerVersions => {
  const seen = new Map<string, { readonly told: Set<Signature>; readonly passed: Set<Signature> }>()
  const of = (slug: string) => {
    const found = seen.get(slug) ?? { told: new Set(), passed: new Set() }
    seen.set(slug, found)
    return found
  }
  return {
    passOver: async ({ slug }, signature, read, otherwise) => {
      try {
        return await read
      } catch (error) {
        if (!isRefusal(error)) throw error
        const { passed, told } = of(slug)
        if (!told.has(signature)) passed.add(signature)
        return otherwise
      }
    },
    tell: Effect.fnUntraced(function*({ slug }) {
      const { passed, told } = of(slug)
      const signatures = [...passed]
      passed.clear()
      for (const signature of signatures) withNewest(told, signature)
      for (let at = 0; at < signatures.length; at += OF_A_LINE) {
        yield* Effect.logError(lineOf(slug, signatures.slice(at, at + OF_A_LINE)))
      }
      return signatures.map((signature) => TransactionId.make(signature))
    })
  }
}
