/** The place of deposits on solana-vm. */
import type { Address } from "../../../chain/Address.ts"

/** A depository program, and the account that receives its deposits. */
export interface SvmDepository {
  readonly program: Address
  readonly vault: Address
}
