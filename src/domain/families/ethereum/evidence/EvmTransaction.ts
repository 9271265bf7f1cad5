/**
 * A transaction of an EVM-like chain with the logs of its receipt, as its node reports it. ethereum-vm and tron-vm are
 * both decoded from it (EVM-1). Hex is in lower case and addresses have 20 bytes. A family's adapter converts to this
 * form.
 */
import type { Address } from "../../../chain/Address.ts"
import type { Hex } from "../../../encoding/Hex.ts"

/** A log of a receipt, not yet decoded. */
export interface EvmLog {
  readonly address: Address
  readonly topics: ReadonlyArray<string>
  readonly data: Hex
  /** Its position in the block. */
  readonly logIndex: number
}

export interface EvmTransaction {
  readonly from: Address
  /** Undefined when the transaction creates a contract. */
  readonly to: Address | undefined
  readonly input: Hex
  /** Smallest units of the native currency. */
  readonly value: bigint
  /** The receipt's logs in the chain's order. Empty when the transaction failed. */
  readonly logs: ReadonlyArray<EvmLog>
}

/**
 * The contracts whose events count. Anybody can emit events from other contracts, as many and as large as gas allows.
 */
export interface OwnContracts {
  readonly depository: Address
  /** Without a router no payments or calls through one count. */
  readonly router: Address | undefined
}

/** The input of decoding deposits, payments and withdrawals. The sender does not matter. */
export type EvmCall = Omit<EvmTransaction, "from">
