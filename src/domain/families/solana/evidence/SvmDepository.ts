/** Where deposits on solana-vm are made. */
import type { Address } from "../../../chain/Address.ts"

/** A depository program, and the account that receives for it. */
export interface SvmDepository {
  readonly program: Address
  readonly vault: Address
}
