/**
 * Transactions that an account took part in, from a slot on. Nodes list them from the newest down, page by page.
 *
 * SECURITY: anybody can name the account in any number of transactions, and all of them lie between now and what was
 * read last. Of more than `MOST` the oldest are kept, because what follows them is found by the next scan.
 */
import type { Address, Signature } from "@solana/kit"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

/** Of one request for signatures. */
const PAGE = 1_000

/** Beyond the cursor: of less than twice as many is more than the memory of a scan. No slot holds as many. */
export const MOST = 50_000

export interface Candidate {
  readonly slot: bigint
  readonly signature: Signature
}

export interface Listed {
  /** The newest first, successful ones. */
  readonly places: ReadonlyArray<Candidate>
  /** All up to this slot are among them, where the newest were left out. */
  readonly upTo?: bigint
}

/** `cursor`: what lies up to it was read before, and is listed again whatever it is. */
export const candidatesOf = async (
  client: Pick<SolanaClient, "getSignaturesForAddress">,
  account: Address,
  { cursor, from }: { readonly cursor: bigint; readonly from: bigint }
): Promise<Listed> => {
  const before: Array<Candidate> = []
  let beyond: Array<Candidate> = []
  let isCut = false
  let oldest: Signature | undefined
  while (true) {
    const page = await client.getSignaturesForAddress(account, {
      commitment: "confirmed",
      limit: PAGE,
      ...(oldest === undefined ? {} : { before: oldest })
    }).send()
    for (const { err, signature, slot } of page) {
      if (err === null && slot >= from) (slot > cursor ? beyond : before).push({ signature, slot })
    }
    if (beyond.length > 2 * MOST) {
      beyond = beyond.slice(-MOST)
      isCut = true
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE || last.slot < from) break
    oldest = last.signature
  }
  const [newest] = beyond
  // Of the newest slot that is left some may have been left out.
  if (!isCut || newest === undefined) return { places: [...beyond, ...before] }
  const whole = beyond.filter(({ slot }) => slot < newest.slot)
  return { places: [...whole, ...before], upTo: newest.slot - 1n }
}
