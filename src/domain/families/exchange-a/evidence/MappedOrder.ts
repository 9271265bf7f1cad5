/**
 * Adds the order to evidence of exchange A (EXCHANGEA-4, EXCHANGEA-5), once the mapping of the transfer's nonce is
 * known, or can no longer arrive.
 *
 * SECURITY: the quorum agrees on the transfer, not on the mapping, so the mapping is verified here. Neither this
 * machine's clock nor the keeper of mappings can change the hour in which one may arrive, since it ends by the chain's
 * time. Until then a missing mapping means "not yet", because the same deposit must not be attested in two ways.
 */
import type { Hex32 } from "../../../encoding/Hex.ts"
import { isOwnMapping } from "../../../nonce-mapping/NonceMapping.ts"
import type { KeptNonceMapping } from "../../../nonce-mapping/NonceMapping.ts"
import type { Observation, TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"

/** How long after its transaction a mapping still counts. */
export const GRACE_SECONDS = 3_600

/** Seconds of chain time from the head until no mapping can arrive. Both arguments are times of the chain. */
export const graceLeftAt = (time: number, headTime: number): number => Math.max(0, time + GRACE_SECONDS + 1 - headTime)

const counts = (
  seen: TransactionEvidence,
  { nonce, wallet }: { readonly nonce: bigint; readonly wallet: string },
  found: KeptNonceMapping
): boolean =>
  found.chain === seen.chain && found.wallet === wallet && found.nonce === nonce &&
  found.createdAt < (seen.block.time + GRACE_SECONDS + 1) * 1_000 && isOwnMapping(found)

const named = (seen: TransactionEvidence, id: Hex32): TransactionEvidence => ({
  ...seen,
  deposits: seen.deposits.map((deposit) => ({ ...deposit, depositId: id })),
  orderIds: seen.payments.map(() => id)
})

/** The wallet and nonce to look up. Undefined when none is needed. */
export const soughtMapping = (seen: Observation): TransactionEvidence["mappedBy"] =>
  seen._tag === "Transaction" && seen.finality._tag === "Final" && seen.outcome === "succeeded"
    ? seen.mappedBy
    : undefined

/** `found`: the stored mapping of that nonce. It counts only if it is valid. */
export const withMapping = (seen: Observation, found: KeptNonceMapping | undefined): Observation => {
  const sought = soughtMapping(seen)
  if (seen._tag !== "Transaction" || sought === undefined) return seen
  const { mappedBy: _sought, ...plain } = seen
  if (found !== undefined && counts(seen, sought, found)) return named(plain, found.id)
  return sought.graceLeft === 0
    ? plain
    : { ...plain, finality: { _tag: "Pending", confirmations: 0, needed: 0, secondsLeft: sought.graceLeft } }
}
