/**
 * Decodes the account of a used withdrawal (SOLANA-5).
 *
 * SECURITY: an account that cannot be decoded is never "unused". An account that does not exist was never used. Neither
 * was an empty one that the System program owns (it was sent lamports, and the program can still claim it).
 */
import { DISCRIMINATOR_BYTES, startsAs } from "./Discriminator.ts"
import { programs } from "./Programs.ts"

/** An account's owner and data, as a node shows it. */
export interface SvmAccount {
  readonly owner: string
  readonly data: Uint8Array
}

/** Whether the withdrawal was executed. Undefined when the account is not the program's. */
export const isUsed = (account: SvmAccount | undefined, program: string): boolean | undefined => {
  if (account === undefined || (account.owner === programs.system && account.data.length === 0)) return false
  if (
    account.owner !== program || account.data.length !== DISCRIMINATOR_BYTES + 1 ||
    !startsAs("usedRequest", account.data)
  ) return undefined
  const flag = account.data[DISCRIMINATOR_BYTES]
  return flag === 1 ? true : flag === 0 ? false : undefined
}
