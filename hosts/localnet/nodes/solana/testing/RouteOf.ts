/** What a signed transaction through the local pools does, read from its bytes: for tests of routes and their limits. */
import { decompileTransactionMessage, getCompiledTransactionMessageDecoder, getTransactionDecoder } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  ComputeBudgetInstruction,
  identifyComputeBudgetInstruction,
  parseSetComputeUnitLimitInstruction
} from "@solana-program/compute-budget"
import { lookupTable, pools, program, tableAddresses } from "../pools/Pools.ts"

/** `wire`: the transaction in base64. Its accounts are those of the local chain's lookup table. */
export const instructionsIn = (wire: string): ReadonlyArray<Instruction> => {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, "base64"))
  return decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes), {
    addressesByLookupTableAddress: { [lookupTable]: [...tableAddresses] }
  }).instructions
}

/** The lookup tables that it reads. */
export const tablesIn = (wire: string): ReadonlyArray<string> => {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, "base64"))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  return "addressTableLookups" in message
    ? (message.addressTableLookups ?? []).map(({ lookupTableAddress }) => lookupTableAddress)
    : []
}

/** The labels of the pools of its route, in their sequence. */
export const poolsIn = (instructions: ReadonlyArray<Instruction>): ReadonlyArray<string> =>
  instructions.filter(({ programAddress }) => programAddress === program).flatMap(({ accounts = [] }) =>
    accounts.flatMap((account) => pools.find(({ address }) => address === account.address)?.label ?? [])
  )

/** Its limits of compute units: none, unless it has the instruction. */
export const unitLimitsIn = (instructions: ReadonlyArray<Instruction>): ReadonlyArray<number> =>
  instructions.flatMap(({ data, programAddress }) => {
    if (programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS || data === undefined) return []
    const instruction = { programAddress: COMPUTE_BUDGET_PROGRAM_ADDRESS, data: Uint8Array.from(data) }
    return identifyComputeBudgetInstruction(instruction) === ComputeBudgetInstruction.SetComputeUnitLimit
      ? [parseSetComputeUnitLimitInstruction(instruction).data.units]
      : []
  })
