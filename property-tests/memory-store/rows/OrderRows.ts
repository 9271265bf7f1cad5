/** Rows of what is stored for orders. Times are in milliseconds, amounts in smallest units. */
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import type { PaymentClaim, PaymentCost } from "../../../ports/chain/Treasury.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import type { DepositKey } from "../../../ports/store/orders/DepositKeys.ts"
import type { DepositState } from "../../../ports/store/orders/Deposits.ts"
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import type { PaymentPurpose, PaymentState, PaymentVariant } from "../../../ports/store/orders/Payments.ts"
import type { NewPermitSubmission, PermitSubmission } from "../../../ports/store/orders/PermitSubmissions.ts"
import type { HubGateAt, SettlementState, Submission } from "../../../ports/store/orders/Settlements.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import type { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"

/** `transactionId`, `chainId` and `depositId` are those of the first sighting; the deposit is the last one seen. */
export interface DepositRow {
  readonly deposit: Deposit
  readonly chainId: ChainId
  readonly transactionId: TransactionId
  readonly depositId: Deposit["depositId"]
  readonly sighting: number
  readonly state: DepositState
  readonly seenAt: number
  readonly precedence: bigint
  readonly hasSettlement: boolean
}

/** The cursors of a chain. `anchored`: where scanning began. It and `final` are unknown when it was not anchored. */
export interface CursorRow {
  readonly chainId: ChainId
  readonly cursor: Cursor
  readonly final: Cursor | undefined
  readonly anchored: bigint | undefined
}

export interface SequenceRow {
  readonly chainId: ChainId
  readonly account: Address
  readonly first: bigint
  readonly next: bigint
}

/** What was set aside keeps its row, under a purpose that nothing asks for. */
export type StoredPurpose = PaymentPurpose | `${PaymentPurpose}!${string}`

export interface PaymentRow {
  readonly orderId: OrderId
  readonly leg: StoredPurpose
  readonly deposit: Hex32
  readonly chainId: ChainId
  readonly account: Address
  readonly sequence: bigint
  readonly recipient: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
  /** What the deposit had when it was signed; undefined where that is not known. */
  readonly deposited: bigint | undefined
  /** Undefined without a topup. */
  readonly topup: bigint | undefined
  readonly transactionId: TransactionId
  readonly raw: string
  readonly state: PaymentState | "void"
  readonly signedAt: number
  readonly block: BlockRef | undefined
  readonly gasPaid: bigint | undefined
}

export interface VariantRow extends PaymentVariant, Pick<PaymentRow, "account" | "chainId" | "sequence"> {
  readonly variant: number
}

export type CostRow = Pick<PaymentCost, "amount" | "currency" | "holder">

/** What a payment holds. */
export interface ClaimRow extends Pick<PaymentRow, "account" | "chainId" | "sequence"> {
  readonly claim: PaymentClaim
}

export interface DirectPaymentRow {
  readonly orderId: OrderId
  readonly chainId: ChainId
  readonly quotedAt: number
  readonly state: "awaited" | "seen" | "settled"
  readonly seen: SeenDirectPayment | undefined
}

export interface SweepRow extends Sweep {
  readonly endedAt: number | undefined
}

export interface AddressRow {
  readonly kept: KeptAddress
  readonly touchedAt: number
}

/** A request that was made for an address. */
export interface AddressRequestRow {
  readonly requestId: RequestId
  readonly address: Address
}

/** The last reindex of an address on a chain. */
export interface ReindexRow {
  readonly key: string
  readonly address: Address
  readonly at: number
}

export interface DepositKeyRow extends DepositKey {
  readonly family: string
  readonly orderId: OrderId | undefined
}

export interface PermitRow extends PermitSubmission, Pick<NewPermitSubmission, "owner" | "reservedMicros"> {
  readonly spentMicros: bigint | undefined
  readonly endedAt: number | undefined
}

export interface SettlementRow {
  readonly deposit: Hex32
  readonly orderId: OrderId
  readonly state: SettlementState
  readonly reason: string | null
  readonly attempts: number
  readonly failures: number
  readonly dueAt: number
  readonly leasedUntil: number
  readonly submission: Submission["id"] | undefined
  readonly createdAt: number
  readonly openedAt: number
  readonly endedAt: number | undefined
  readonly lookedReason: string | undefined
  readonly looksAlike: number
  readonly settledOn: HubGateAt | undefined
  readonly checkAt: number | undefined
}

export interface SubmissionRow extends Submission {
  readonly slot: number
  readonly state: "open" | "ended"
  readonly placedAt: number | undefined
  readonly endedAt: number | undefined
}
