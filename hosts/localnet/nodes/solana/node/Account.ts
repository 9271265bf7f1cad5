/** An account as the virtual machine holds it. An account without lamports does not exist. */
import type { Address } from "@solana/kit"
import { address } from "@solana/kit"

export interface Account {
  readonly lamports: bigint
  readonly data: Uint8Array
  readonly owner: Address
  readonly executable: boolean
}

export const systemProgram = address("11111111111111111111111111111111")

/** A wallet: no data, owned by the System program. */
export const wallet = (lamports: bigint): Account => ({
  lamports,
  data: new Uint8Array(),
  owner: systemProgram,
  executable: false
})

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/** Whether two states are equal. `undefined` is an account that does not exist. */
export const isSame = (a: Account | undefined, b: Account | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.lamports === b.lamports && a.owner === b.owner && a.executable === b.executable && equalBytes(a.data, b.data)
