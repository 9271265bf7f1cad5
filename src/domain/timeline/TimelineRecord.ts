/**
 * The record that a request timeline is built from: what status and history by id read, and the request's changes of
 * state.
 *
 * It lists the members that may be shown. The API key is not among them.
 */
import type { Address, CurrencyAddress } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import { findAnyCurrency, findChain } from "../chain/Chain.ts"
import type { ChainId } from "../chain/ChainId.ts"
import { explorerLink } from "../chain/ExplorerLink.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { WireFeeSponsorship } from "../quote/wire/FeeSponsorship.ts"
import { deliveryOf } from "../transfer/payment/DeliveryOf.ts"
import type { BlockRef } from "../evidence/BlockRef.ts"
import type { Deposit } from "../transfer/deposit/Deposit.ts"
import type { FailReason } from "../transfer/FailReason.ts"
import type { Status } from "../transfer/Status.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import type { TimelineChain, TimelineSettlement, TimelineTransaction } from "./RequestTimeline.ts"

/** A change of the request's state; the first is the quote. */
export interface TimelineEvent {
  readonly status: Status
  readonly failReason: FailReason | null
  /** Milliseconds. */
  readonly at: number
}

/** A payment of the request, as the store has it. */
export interface TimelinePayment {
  readonly leg: string
  /** The deposit that this belongs to. */
  readonly onchainId: Deposit["onchainId"]
  readonly chainId: ChainId
  readonly transactionId: TransactionId
  readonly recipient: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
  readonly state: "signed" | "sent" | "included" | "reverted"
  readonly block: BlockRef | null
}

/** A refund beside the request's result, paid or not. */
export interface TimelineRefundRecord {
  readonly kind: "deposit" | "excess"
  /** `held`: delayed by the cap on unattested refunds. */
  readonly state: "submitted" | "paid" | "failed" | "held" | "recorded"
  /** Undefined for an excess. */
  readonly reason: FailReason | undefined
  readonly deposit: Deposit
  readonly amount: bigint
  readonly payment:
    | { readonly transactionId: TransactionId; readonly recipient: Address; readonly amount: bigint }
    | undefined
}

export interface TimelineRecord {
  readonly transfer: Pick<Transfer, "id" | "terms" | "quote" | "quotedAt" | "status" | "failReason" | "updatedAt">
  /** Oldest first. */
  readonly events: ReadonlyArray<TimelineEvent>
  /** Oldest first. */
  readonly deposits: ReadonlyArray<{ readonly deposit: Deposit }>
  readonly payments: ReadonlyArray<TimelinePayment>
  readonly refunds: ReadonlyArray<TimelineRefundRecord>
  /** The settlement of its filled or refunded deposits on the hub, oldest first. */
  readonly settlements: ReadonlyArray<{
    readonly deposit: Deposit["onchainId"]
    readonly state: TimelineSettlement["state"]
    readonly transactionId: TransactionId | null
  }>
  readonly send: { readonly transactionId: TransactionId; readonly block: BlockRef } | undefined
  readonly feeSponsorship: WireFeeSponsorship | undefined
}

/** A record with the chains that it mentions. */
export interface TimelineSource extends TimelineRecord {
  readonly chains: ReadonlyArray<Chain>
}

/** The payment on the destination, once there is one. */
export const fillOf = ({ payments }: TimelineRecord): TimelinePayment | undefined => deliveryOf(payments)

/**
 * The payment that gave the recipient the bridged currency because the swap could not be made; undefined for a fill.
 */
export const fallbackOf = (record: TimelineRecord): TimelinePayment | undefined => {
  const paid = fillOf(record)
  return paid?.leg === "fallback" ? paid : undefined
}

/** The deposit that the payment on the destination belongs to. */
export const filledDepositOf = (record: TimelineRecord): Deposit | undefined => {
  const fill = fillOf(record)
  return record.deposits.find(({ deposit }) => deposit.onchainId === fill?.onchainId)?.deposit
}

/** A chain that is no longer configured is named by its number. */
export const chainOf = ({ chains }: TimelineSource, id: ChainId): TimelineChain => ({
  id,
  name: findChain(chains, id)?.name ?? `chain ${id}`
})

/** Undefined for a currency or chain that is no longer configured. */
export const currencyOf = ({ chains }: TimelineSource, chainId: ChainId, address: CurrencyAddress) => {
  const chain = findChain(chains, chainId)
  return chain === undefined ? undefined : findAnyCurrency(chain, address)
}

/** The id, with a link if the chain's explorer is known. */
export const transactionOf = ({ chains }: TimelineSource, chainId: ChainId, id: TransactionId): TimelineTransaction => {
  const chain = findChain(chains, chainId)
  return { id, url: (chain === undefined ? undefined : explorerLink(chain.family, chain.explorerUrl, id)) ?? null }
}
