/** Rows of sponsor and app-fee money, and of what is capped by day. Times are in milliseconds. */
import type { RecordedArrival } from "../../../ports/store/ledger/Credits.ts"
import type { BookedLoss } from "../../../ports/store/ledger/Losses.ts"
import type { Settled } from "../../../ports/store/ledger/SponsorHolds.ts"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { Account } from "../../../src/domain/ledger/Account.ts"
import type { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { LedgerCurrency, LedgerId, Transaction } from "../../../src/domain/ledger/Transaction.ts"
import type { OrderId } from "../../../src/domain/order/Order.ts"
import type { RiskInFlight } from "../../../src/domain/transfer/payment/CallLossRoom.ts"

export interface MovementRow {
  readonly transaction: Transaction
  readonly at: number
}

/** An account's balance in one currency, smallest units. */
export interface BalanceRow {
  readonly account: Account
  readonly currency: LedgerCurrency
  readonly units: bigint
}

export interface EntryRow extends BalanceRow {
  readonly movement: LedgerId
  readonly owner: Address | undefined
  readonly at: number
}

export interface ArrivalRow extends RecordedArrival {
  readonly chainId: ChainId
  readonly seenAt: number
}

export interface LossRow extends BookedLoss {
  readonly id: string
}

export interface CallLossRow {
  readonly orderId: OrderId
  readonly sender: Address
  readonly usdMicros: bigint
  readonly countedAt: number
  /** Undefined: it has happened. */
  readonly inFlight: RiskInFlight | undefined
}

export interface UnattestedRow {
  readonly onchainId: Hex32
  readonly usdMicros: bigint
  readonly reservedAt: number
  readonly signedAt: number | undefined
}

export interface HeldRefundRow {
  readonly onchainId: Hex32
  readonly usdMicros: bigint
  readonly heldAt: number
}

export interface SpentRow {
  readonly key: ApiKeyId
  readonly scope: string
  readonly spent: MicroUsdc
}

/** The money that is held for a request. */
export interface Held {
  readonly key: ApiKeyId
  readonly wallet: Address
  readonly recipient: Address
  readonly currency: LedgerCurrency
  readonly units: MicroUsdc
  readonly at: number
  /** The open deposit address that it is for, and what counts against the address's budget; undefined for its quote. */
  readonly address: { readonly address: Address; readonly later: MicroUsdc | undefined } | undefined
}

/** `none` and `released`: nothing is held. */
export interface HoldRow {
  readonly state: "none" | "open" | "released" | "settled"
  readonly round: number
  readonly held: Held | undefined
}

export type SettledRow = Settled
