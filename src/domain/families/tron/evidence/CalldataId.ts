/**
 * The id of a token deposit that no event names, on tron-vm (TRON-1). Only a transaction that itself calls `transfer`
 * or `transferFrom` with the deposited amount to the depository gives an id, in the 32 bytes after the arguments.
 */
import * as Result from "effect/Result"
import { ethereumAddresses } from "../../ethereum/EthereumAddresses.ts"
import type { WrittenId } from "../../ethereum/evidence/Deposits.ts"
import { bytes32Of, uintOf } from "../../ethereum/evidence/Words.ts"

const WORD = "[0-9a-f]{64}"
/** Some Tron wallets write an account with its 0x41 prefix, which contracts ignore. */
const ACCOUNT = "0{22}(?:00|41)([0-9a-f]{40})"

const call = new RegExp(`^0x(?:a9059cbb|23b872dd${WORD})${ACCOUNT}(${WORD})(${WORD})`)

/** An id never starts with 16 zero bytes. Such a word is something else. */
const NO_ID = "0".repeat(32)

export const idAfterArguments: WrittenId = (input, depository, amount) => {
  const [, account, paid, word] = call.exec(input) ?? []
  if (account === undefined || paid === undefined || word === undefined) return undefined
  const to = ethereumAddresses.parse(`0x${account}`)
  const isDeposit = Result.isSuccess(to) && to.success === depository && uintOf(paid) === amount
  return isDeposit && !word.startsWith(NO_ID) ? bytes32Of(word) : undefined
}
