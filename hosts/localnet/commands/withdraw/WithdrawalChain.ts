/**
 * A family's part of a withdrawal: the allocator drafts it there, and the depository pays it. What the hub and the
 * oracle need is the same for all (Withdraw.ts).
 */
import type { Effect } from "effect"
import type { Address, Hex } from "viem"
import type { Hex as CanonicalHex, Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import type { ChainRef } from "../../../../src/domain/hub/ChainRef.ts"
import type { Currency } from "../demo/DemoChain.ts"
import type { ChainAccess } from "../demo/Wallet.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"

export interface Account {
  readonly address: Address
  readonly privateKey: Hex
}

export interface EvmTarget extends ChainAccess {
  readonly currency: Currency<Address>
  readonly depository: Address
}

export interface BitcoinTarget extends ChainAccess {
  readonly explorerUrl: string
  readonly currency: Currency
  /** Its key is the allocator's: whoever signs for it has issued the withdrawal. */
  readonly depository: { readonly address: string; readonly privateKey: string }
}

export interface TronTarget extends ChainAccess {
  readonly currency: Currency
  readonly native: Currency
  readonly depository: string
  /** Signs for the depository. Keys here have no 0x. */
  readonly allocator: { readonly privateKey: string }
  /** Pays energy and bandwidth. */
  readonly submitter: { readonly privateKey: string }
}

export interface ExchangeATarget extends ChainAccess {
  readonly currency: Currency
  /** Its key is the allocator's: whoever signs with it has issued the withdrawal. */
  readonly depository: Account
}

export interface ExchangeBTarget extends ChainAccess {
  readonly currency: Currency
  /** Its key is the allocator's: whoever signs with it has issued the withdrawal. */
  readonly depository: Account & { readonly index: number }
}

export interface Wanted {
  readonly recipient: string
  /** Smallest units that leave the owner's balance. */
  readonly amount: bigint
  /** Unique over all chains: two equal requests on two chains would share one key on the hub. */
  readonly nonce: bigint
  /** `expired`: it is not executed, and the money returns. */
  readonly end: "executed" | "expired"
}

export interface Draft {
  readonly id: Hex32
  /** In its canonical encoding. */
  readonly encoded: CanonicalHex
  /** What the recipient gets, and the hub burns: the amount, less the chain's fee where the recipient bears it. */
  readonly pays: bigint
  /** Has the depository pay. `arrived` is what its transaction, or its block, gave the recipient. */
  readonly execute: Effect.Effect<{ readonly transaction: string; readonly arrived: bigint }, LocalnetError>
}

export type DraftWithdrawal = (wanted: Wanted) => Effect.Effect<Draft, LocalnetError>

/** The parties of the network who may be needed on the chain. */
export interface Parties {
  readonly allocator: Account
  /** Pays the gas. */
  readonly submitter: Account
}

/** A chain from which a withdrawal is made. All that differs between families is in this value. */
export interface WithdrawalChain {
  readonly id: string
  /** The chain as the protocol knows it, with its family's rules. */
  readonly ref: ChainRef
  readonly currency: Currency
  /** A family's client is loaded for a chain of it only, because that takes a good part of a second. */
  readonly drafting: (parties: Parties) => Effect.Effect<DraftWithdrawal>
}
