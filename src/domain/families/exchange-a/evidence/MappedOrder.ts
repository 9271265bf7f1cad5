/**
 * Adds the order to evidence of exchange A (EXCHANGEA-4, EXCHANGEA-5), once the mapping of the transfer's nonce is
 * known, or can no longer arrive.
 *
 * SECURITY: the quorum agrees on the transfer, not on the mapping, so the mapping is verified here. Neither this
 * machine's clock nor the keeper of mappings can change the hour in which one may arrive, since it ends by the chain's
 * time. Until then a missing mapping means "not yet", because the same deposit must not be attested in two ways.
 */
import type { Address } from "../../../chain/Address.ts"
import type { ChainSlug } from "../../../chain/ChainId.ts"
import type { Hex32 } from "../../../encoding/Hex.ts"
import type { Signatures } from "../../../encoding/Signature.ts"
import { isOwnMapping } from "../../../nonce-mapping/NonceMapping.ts"
import type { KeptNonceMapping } from "../../../nonce-mapping/NonceMapping.ts"
import type { Observation, TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"

/** How long after its transaction a mapping still counts. */
export const GRACE_SECONDS = 3_600

/**
 * How long after that hour, by the chain's time, a mapping of the hour may still be found, seconds. SECURITY: the clock
 * of its keeper gives it its time, and may be behind the chain's. Whoever had a deposit attested as its sender's own in
 * between would map it afterwards, and be filled besides.
 */
export const KEPT_LATE_SECONDS = 600

/** Seconds of chain time from the head until no mapping can arrive. Both arguments are times of the chain. */
export const graceLeftAt = (time: number, headTime: number): number =>
  Math.max(0, time + GRACE_SECONDS + 1 + KEPT_LATE_SECONDS - headTime)

/** A transfer as a mapping names it. */
export interface MappedTransfer {
  readonly chain: ChainSlug
  /** Seconds. */
  readonly time: number
  readonly wallet: Address
  readonly nonce: bigint
}

/**
 * The order of a transfer by the stored mapping of its nonce. Undefined when that is not valid for it. `recover`: as of
 * `isOwnMapping`.
 */
export const orderOfMapping = (
  { chain, nonce, time, wallet }: MappedTransfer,
  found: KeptNonceMapping,
  recover?: Signatures["recoverDigest"]
): Hex32 | undefined =>
  found.chain === chain && found.wallet === wallet && found.nonce === nonce &&
    found.createdAt < (time + GRACE_SECONDS + 1) * 1_000 && isOwnMapping(found, recover)
    ? found.id
    : undefined

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

/** `found`: the stored mapping of that nonce. It counts only if it is valid. `recover`: as of `isOwnMapping`. */
export const withMapping = (
  seen: Observation,
  found: KeptNonceMapping | undefined,
  recover?: Signatures["recoverDigest"]
): Observation => {
  const sought = soughtMapping(seen)
  if (seen._tag !== "Transaction" || sought === undefined) return seen
  const { mappedBy: _sought, ...plain } = seen
  const transfer = { chain: seen.chain, time: seen.block.time, wallet: sought.wallet, nonce: sought.nonce }
  const id = found === undefined ? undefined : orderOfMapping(transfer, found, recover)
  if (id !== undefined) return named(plain, id)
  return sought.graceLeft === 0
    ? plain
    : { ...plain, finality: { _tag: "Pending", confirmations: 0, needed: 0, secondsLeft: sought.graceLeft } }
}
