/**
 * A transaction of solana-vm, from which deposits and payments are decoded: what it did and what it moved, independent
 * of any node's format. Only for one that succeeded; a failed one has moved nothing but its fee.
 */
import type { Address, CurrencyAddress } from "../../../chain/Address.ts"

export interface SvmInstruction {
  readonly program: Address
  readonly accounts: ReadonlyArray<Address>
  /** Of what a program has made, empty unless the depository or the memo program was called: nothing else is read. */
  readonly data: Uint8Array
  /** False for one that a program has made. */
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
  /** Each followed by those that it made: the order of their execution. */
  readonly instructions: ReadonlyArray<SvmInstruction>
  readonly lamports: ReadonlyArray<SvmLamports>
  readonly tokensBefore: ReadonlyArray<SvmTokens>
  readonly tokensAfter: ReadonlyArray<SvmTokens>
}
