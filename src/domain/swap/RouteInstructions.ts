/**
 * The instructions that may surround the one call of a swap program in a user's transaction: opening associated
 * accounts, wrapping SOL and unwrapping it. The service uses this to check a route server's answer, and clients use it
 * to check the service. It says nothing about what the program itself does.
 */
import { programs, tokenAccountOf } from "../families/solana/evidence/Programs.ts"

/** One instruction of a swap source's route. */
export interface RouteInstruction {
  readonly programId: string
  readonly keys: ReadonlyArray<{ readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }>
  /** Hex without 0x, in lower case. */
  readonly data: string
}

const pubkeys = ({ keys }: RouteInstruction): ReadonlyArray<string> => keys.map(({ pubkey }) => pubkey)

/** An instruction that opens a token account. */
export interface Opening {
  readonly payer: string
  readonly account: string
  readonly owner: string
  readonly mint: string
  readonly tokenProgram: string
}

/** CreateIdempotent of an owner's associated account; undefined for anything else. */
export const openingOf = (instruction: RouteInstruction): Opening | undefined => {
  const [payer = "", account = "", owner = "", mint = "", system, tokenProgram = ""] = pubkeys(instruction)
  const isOne = instruction.programId === programs.associatedToken && instruction.data === "01" &&
    instruction.keys.length === 6 && system === programs.system
  return isOne && account === tokenAccountOf(owner, mint, tokenProgram)
    ? { payer, account, owner, mint, tokenProgram }
    : undefined
}

/** An instruction that moves native currency. */
export interface LamportTransfer {
  readonly from: string
  readonly to: string
  readonly lamports: bigint
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(
    { length: Math.floor(hex.length / 2) },
    (_, index) => Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16)
  )

/** A System transfer; undefined for anything else. */
export const lamportTransferOf = (instruction: RouteInstruction): LamportTransfer | undefined => {
  const [from = "", to = ""] = pubkeys(instruction)
  if (
    instruction.programId !== programs.system || instruction.keys.length !== 2 ||
    !/^02000000[0-9a-f]{16}$/.test(instruction.data)
  ) return undefined
  return { from, to, lamports: new DataView(bytesOf(instruction.data).buffer).getBigUint64(4, true) }
}

const RENT_SYSVAR = "SysvarRent111111111111111111111111111111111"

/** SyncNative, which moves nothing; some clients name the rent sysvar as well. */
export const isSyncing = (instruction: RouteInstruction, wrapped: string | undefined): boolean => {
  const [account, rent = RENT_SYSVAR, ...more] = pubkeys(instruction)
  return instruction.programId === programs.token && instruction.data === "11" && account === wrapped &&
    rent === RENT_SYSVAR && more.length === 0 &&
    instruction.keys.every(({ isSigner }) => !isSigner)
}

/** CloseAccount of the user's wrapped SOL, to the user. */
export const isUnwrapping = (instruction: RouteInstruction, user: string, wrapped: string | undefined): boolean => {
  const [account, to, owner] = pubkeys(instruction)
  return instruction.programId === programs.token && instruction.data === "09" && instruction.keys.length === 3 &&
    account === wrapped && to === user && owner === user
}

/** The bytes of an instruction. */
export const dataBytes = ({ data }: RouteInstruction): Uint8Array => bytesOf(data)
