/**
 * Where a payment of exchangeb-vm stands (EXCHANGEB-21). Pure.
 *
 * SECURITY: a dead payment is signed again. The exchange executes one transaction for a nonce of an API key, and none
 * after its ExpiredAt. So a payment is dead only when another executed one has its nonce, or when the exchange's clock
 * has passed its ExpiredAt by a margin and the exchange shows none with its nonce that could be it. That the exchange
 * calls it failed proves nothing: sources differ on what its numbers mean.
 */
import type { SentTransfer } from "../evidence/Transfer.ts"
import { isOver } from "./Lifetime.ts"

/** A payment as it was signed. */
export interface SignedTransfer {
  readonly hash: string
  readonly transfer: SentTransfer
  /** Milliseconds. */
  readonly expiredAt: number
}

/** A transfer of the account as an endpoint shows it. */
export interface ShownTransfer extends SignedTransfer {
  readonly isExecuted: boolean
  /** Milliseconds: when the exchange took it. */
  readonly queuedAt: number
}

export type PaymentFate =
  | { readonly _tag: "Executed"; readonly by: ShownTransfer }
  /** Another transfer was executed with its nonce, and not because it had expired. */
  | { readonly _tag: "Taken" }
  /** It was not executed, and never will be. Its nonce is used. */
  | { readonly _tag: "Dead" }
  /** It was not executed, and never will be. Its nonce is free, and no later one of the API key can be used. */
  | { readonly _tag: "Blocking" }
  /** The exchange has it, or something else with its nonce. */
  | { readonly _tag: "InFlight" }
  /** It may be sent. */
  | { readonly _tag: "Open" }
  /** The endpoint contradicts itself. */
  | { readonly _tag: "Unclear" }

/**
 * The same payment, whatever the exchange calls it. Its hash does not say so, because that does not cover the memo.
 */
export const isSame = (one: SentTransfer, other: SentTransfer): boolean =>
  one.nonce === other.nonce && one.apiKeyIndex === other.apiKeyIndex &&
  one.fromAccountIndex === other.fromAccountIndex && one.fromRouteType === other.fromRouteType &&
  one.toAccountIndex === other.toAccountIndex && one.toRouteType === other.toRouteType &&
  one.assetIndex === other.assetIndex && one.amount === other.amount && one.usdcFee === other.usdcFee &&
  one.memo === other.memo

/** By which a nonce is used up. */
export const paysNobody = ({ fromAccountIndex, toAccountIndex }: SentTransfer): boolean =>
  fromAccountIndex === toAccountIndex

/** What one endpoint shows of a payment, in the order in which it was read (EXCHANGEB-21). */
export interface Seen {
  /** Milliseconds, the exchange's clock, read before everything else. */
  readonly now: number
  /** The nonce that the API key uses next, read before the transfers. It falls when a transfer expired unused. */
  readonly nextNonce: bigint
  /** The payment by its hash, and whatever else the account has sent with its nonce. */
  readonly shown: ReadonlyArray<ShownTransfer>
}

export const paymentFate = (signed: SignedTransfer, { nextNonce, now, shown }: Seen): PaymentFate => {
  const { apiKeyIndex, fromAccountIndex, nonce } = signed.transfer
  const [executed, another] = shown.filter(({ isExecuted, transfer }) =>
    isExecuted && transfer.nonce === nonce && transfer.apiKeyIndex === apiKeyIndex &&
    transfer.fromAccountIndex === fromAccountIndex
  )
  if (another !== undefined) return { _tag: "Unclear" }
  const hasExpired = isOver(signed, now)
  if (executed !== undefined) {
    if (isSame(executed.transfer, signed.transfer)) return { _tag: "Executed", by: executed }
    return { _tag: hasExpired && paysNobody(executed.transfer) ? "Dead" : "Taken" }
  }
  const isUsed = nextNonce > nonce
  if (hasExpired) return { _tag: isUsed ? "Dead" : "Blocking" }
  return { _tag: isUsed || shown.length > 0 ? "InFlight" : "Open" }
}
