/**
 * A transaction of an EVM-like chain as its node shows it, with the log of its receipt: what both ethereum-vm and
 * tron-vm are decoded from (EVM-1). Hex in lower case, addresses as 20 bytes; a family's adapter brings it into this
 * form.
 */
import type { Address } from "../../../chain/Address.ts"
import type { Hex } from "../../../encoding/Hex.ts"

export interface EvmLog {
  readonly address: Address
  readonly topics: ReadonlyArray<string>
  readonly data: Hex
  /** Its place in the block. */
  readonly logIndex: number
}

export interface EvmTransaction {
  readonly from: Address
  /** Undefined when the transaction creates a contract. */
  readonly to: Address | undefined
  readonly input: Hex
  /** Smallest units of the native currency. */
  readonly value: bigint
  /** Of the receipt, in the chain's order; empty when it failed. */
  readonly logs: ReadonlyArray<EvmLog>
}

/**
 * The contracts whose events count. Anybody can emit events from other contracts, as often and as large as gas allows.
 */
export interface OwnContracts {
  readonly depository: Address
  /** Without one nothing counts as paid or called by a router. */
  readonly router: Address | undefined
}

/** What deposits, payments and withdrawals are decoded from. The sender decides nothing. */
export type EvmCall = Omit<EvmTransaction, "from">
