/**
 * A transaction of solana-vm, from which deposits and payments are decoded: what it did and moved, independent of any
 * node's format. Only for transactions that succeeded. A failed one has moved nothing but its fee.
 */
import type { Address, CurrencyAddress } from "../../../chain/Address.ts"

/** An instruction, top-level or inner, in the order of execution. */
export interface SvmInstruction {
  readonly program: Address
  readonly accounts: ReadonlyArray<Address>
  /** For an inner instruction empty, unless the depository or the memo program is called. No other data is read. */
  readonly data: Uint8Array
  /** False for an inner instruction, made by a program. */
  readonly isTopLevel: boolean
}

/** Lamports of an account before and after. */
export interface SvmLamports {
  readonly account: Address
  readonly before: bigint
  readonly after: bigint
}

/** What a token account held, in smallest units. */
export interface SvmTokens {
  readonly account: Address
  readonly mint: CurrencyAddress
  readonly owner: Address
  readonly amount: bigint
}

export interface SvmTransaction {
  /** Each followed by its inner instructions: the order of execution. */
  readonly instructions: ReadonlyArray<SvmInstruction>
  readonly lamports: ReadonlyArray<SvmLamports>
  readonly tokensBefore: ReadonlyArray<SvmTokens>
  readonly tokensAfter: ReadonlyArray<SvmTokens>
}
