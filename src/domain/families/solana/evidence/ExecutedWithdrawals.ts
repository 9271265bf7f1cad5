/** The withdrawals that a transaction of solana-vm executed, as the depository program's instructions declare them. */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { type Hex32, hexFromBytes } from "../../../encoding/Hex.ts"
import { decodeSolanaWithdrawal, solanaWithdrawalId, type SolanaWithdrawal } from "../SolanaWithdrawal.ts"
import { DISCRIMINATOR_BYTES, startsAs } from "./Discriminator.ts"
import { usedRequestOf } from "./Programs.ts"
import type { SvmInstruction, SvmTransaction } from "./SvmTransaction.ts"

/**
 * {domain, recipient, token?, amount, nonce, expiration, vault}: the byte after the first two tells whether there is a
 * token.
 */
const FLAG = 64
const WITHOUT_TOKEN = 121

/** True for an instruction that takes money out of the vault, whether or not it can be decoded. */
export const isExecution = ({ data, program }: SvmInstruction, depository: Address): boolean =>
  program === depository && startsAs("executeTransfer", data)

/** The withdrawal that an instruction of the depository executes. Undefined for every other instruction. */
export const executedRequest = (instruction: SvmInstruction, depository: Address): SolanaWithdrawal | undefined => {
  if (!isExecution(instruction, depository)) return undefined
  const given = instruction.data.subarray(DISCRIMINATOR_BYTES)
  const request = decodeSolanaWithdrawal(hexFromBytes(given.subarray(0, WITHOUT_TOKEN + (given[FLAG] === 1 ? 32 : 0))))
  return Result.isSuccess(request) ? request.success : undefined
}

const executed = (instruction: SvmInstruction, depository: Address): ReadonlyArray<Hex32> => {
  const request = executedRequest(instruction, depository)
  const id = request === undefined ? undefined : solanaWithdrawalId(request)
  if (id === undefined || Result.isFailure(id)) return []
  const used = usedRequestOf(depository, id.success)
  return used === undefined || !instruction.accounts.includes(used) ? [] : [id.success]
}

/** Their ids, in the order of the instructions. */
export const withdrawalsOf = (
  { instructions }: Pick<SvmTransaction, "instructions">,
  depository: Address
): ReadonlyArray<Hex32> => instructions.flatMap((instruction) => executed(instruction, depository))
