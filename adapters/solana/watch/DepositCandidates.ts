/**
 * The transactions of an account from a slot on. Nodes list them from the newest down, page by page.
 *
 * SECURITY: anyone can name the account in any number of transactions, and all of them are listed before the scan
 * reaches the last slot that was read. Of more than twice `MOST` the oldest `MOST` are kept. The next scan finds the
 * newer ones.
 */
import type { Address, Signature } from "@solana/kit"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"

/** The most signatures in one request. */
const PAGE = 1_000

/** For transactions beyond the cursor. A scan keeps at most twice as many in memory. No slot holds this many. */
export const MOST = 50_000

export interface Candidate {
  readonly slot: bigint
  readonly signature: Signature
}

export interface Listed {
  /** Successful transactions, the newest first. */
  readonly places: ReadonlyArray<Candidate>
  /** Set when the newest were left out: everything up to this slot is listed. */
  readonly upTo?: bigint
}

/** `cursor`: everything up to it was read before, and is listed again in any case. */
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
  // Some transactions of the newest listed slot may have been left out.
  if (!isCut || newest === undefined) return { places: [...beyond, ...before] }
  const whole = beyond.filter(({ slot }) => slot < newest.slot)
  return { places: [...whole, ...before], upTo: newest.slot - 1n }
}
