/** The withdrawals that a transaction of solana-vm has executed: what was handed to the depository, in the program's own words. */
import * as Result from "effect/Result"
import type { Address } from "../../chain/Address.ts"
import { type Hex32, hexFromBytes } from "../../chain/Hex.ts"
import { decodeSolanaWithdrawal, solanaWithdrawalId } from "../../settlement/withdrawal/Solana.ts"
import { DISCRIMINATOR_BYTES, startsAs } from "./Discriminator.ts"
import { usedRequestOf } from "./Programs.ts"
import type { SvmInstruction, SvmTransaction } from "./SvmTransaction.ts"

/** {domain, recipient, token?, amount, nonce, expiration, vault}: the byte after the first two says whether there is a token. */
const FLAG = 64
const WITHOUT_TOKEN = 121

const idOf = (data: Uint8Array): Hex32 | undefined => {
  const given = data.subarray(DISCRIMINATOR_BYTES)
  const request = given.subarray(0, WITHOUT_TOKEN + (given[FLAG] === 1 ? 32 : 0))
  const id = Result.flatMap(decodeSolanaWithdrawal(hexFromBytes(request)), solanaWithdrawalId)
  return Result.isSuccess(id) ? id.success : undefined
}

const executed = ({ accounts, data, program }: SvmInstruction, depository: Address): ReadonlyArray<Hex32> => {
  if (program !== depository || !startsAs("executeTransfer", data)) return []
  const id = idOf(data)
  const used = id === undefined ? undefined : usedRequestOf(depository, id)
  return id === undefined || used === undefined || !accounts.includes(used) ? [] : [id]
}

/** Their ids, in the order of the instructions. */
export const withdrawalsOf = ({ instructions }: Pick<SvmTransaction, "instructions">, depository: Address): ReadonlyArray<Hex32> =>
  instructions.flatMap((instruction) => executed(instruction, depository))
