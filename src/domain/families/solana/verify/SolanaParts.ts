/** Solana instructions as a client rebuilds them from its own knowledge, to compare with those it is asked to sign. */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { Chain } from "../../../chain/Chain.ts"
import { programs, referenceOf, tokenAccountOf } from "../evidence/Programs.ts"
import type { OrderId } from "../../../order/Order.ts"
import type { ResolvedRequest } from "../../../quote/request/ResolveRequest.ts"
import type { SolanaTransactionData } from "../SolanaTransactionData.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { check, checkEqual } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"

/** The payment that the transaction must make. */
export interface SolanaPayment {
  readonly request: ResolvedRequest
  readonly orderId: OrderId
  /** Smallest units of the origin currency. */
  readonly amount: bigint
}

/** An instruction as quotes write it (STEP-6). */
export type Instruction = SolanaTransactionData["instructions"][number]
/** The instructions of one transaction, in order. */
export type Instructions = ReadonlyArray<Instruction>
type Key = Instruction["keys"][number]

/** An account that cannot be computed becomes "none", which equals no account. */
const key = (pubkey: string | undefined, isSigner: boolean, isWritable: boolean): Key => ({
  pubkey: pubkey ?? "none",
  isSigner,
  isWritable
})
/** A key that the instruction only reads. */
export const reads = (pubkey: string | undefined) => key(pubkey, false, false)
/** A key that the instruction writes, without a signature. */
export const writes = (pubkey: string | undefined) => key(pubkey, false, true)
/** A key that signs and is written. */
export const pays = (pubkey: string | undefined) => key(pubkey, true, true)
const signs = (pubkey: string) => key(pubkey, true, false)

/** A number in the chain's encoding: little-endian hex. */
export const little = (value: bigint, bytes: number): string =>
  Array.from({ length: bytes }, (_, index) => ((value >> BigInt(8 * index)) & 0xffn).toString(16).padStart(2, "0"))
    .join("")

/** A mint belongs to one of the two. The chain knows which: with the wrong one the transaction fails. */
export const tokenPrograms = [programs.token, programs.token2022] as const

/** CreateIdempotent for an owner's associated account. */
export const opening = (payer: string, owner: string | undefined, mint: string, tokenProgram: string): Instruction => ({
  programId: programs.associatedToken,
  keys: [
    pays(payer),
    writes(owner && tokenAccountOf(owner, mint, tokenProgram)),
    reads(owner),
    reads(mint),
    reads(programs.system),
    reads(tokenProgram)
  ],
  data: "01"
})

/** A transfer of lamports. `named`: an account that is named and not touched. */
export const lamportTransfer = (from: string, to: string, lamports: bigint, named?: string): Instruction => ({
  programId: programs.system,
  keys: [pays(from), writes(to), ...(named === undefined ? [] : [reads(named)])],
  data: `02000000${little(lamports, 8)}`
})

/** TransferChecked between associated accounts. */
export const tokenTransfer = (
  from: string,
  to: string,
  amount: bigint,
  { originCurrency: { address: mint, decimals } }: ResolvedRequest,
  tokenProgram: string
): Instruction => ({
  programId: tokenProgram,
  keys: [
    writes(tokenAccountOf(from, mint, tokenProgram)),
    reads(mint),
    writes(tokenAccountOf(to, mint, tokenProgram)),
    signs(from)
  ],
  data: `0c${little(amount, 8)}${little(BigInt(decimals), 1)}`
})

/** A memo with only the order's id. */
export const memoOf = (id: OrderId): Instruction => ({
  programId: programs.memo,
  keys: [],
  data: hexDigits(utf8ToBytes(id))
})

/** The reference account by which the user's own transactions are found, of a depository that the client knows. */
export const referenceIn = ({ depository }: Chain): string => referenceOf(depository) ?? "none"

/** SetComputeUnitLimit, up to the most that a transaction may use. No allowed instruction sets a price. */
const MOST_UNITS = 1_400_000
const isUnitLimit = ({ data, keys, programId }: Instruction): boolean =>
  programId === programs.computeBudget && keys.length === 0 && /^02[0-9a-f]{8}$/.test(data) &&
  Number.parseInt((data.slice(2).match(/../g) ?? []).toReversed().join(""), 16) <= MOST_UNITS

/** The instructions after the compute limit, if the request asked for one. Undefined when it is missing or invalid. */
export const withoutLimit = (
  instructions: Instructions,
  { computeUnitLimit }: ResolvedRequest
): Instructions | undefined => {
  if (!computeUnitLimit) return instructions
  const [first, ...rest] = instructions
  return first !== undefined && isUnitLimit(first) ? rest : undefined
}

/** Unambiguous: different lists of instructions give different texts, whatever their strings contain. */
export const textOf = (instructions: Instructions): string =>
  JSON.stringify(
    instructions.map((
      { data, keys, programId }
    ) => [programId, keys.map(({ isSigner, isWritable, pubkey }) => [pubkey, isSigner, isWritable]), data])
  )

/** Checks the fee payer and the signers, not what the transaction does. */
export const verifySigners = (
  name: string,
  data: SolanaTransactionData,
  { depositFeePayer, user }: ResolvedRequest
): ReadonlyArray<Check> => {
  const signers = new Set(
    data.instructions.flatMap(({ keys }) => keys.filter(({ isSigner }) => isSigner).map(({ pubkey }) => pubkey))
  )
  return [
    checkEqual(`${name} fee payer`, data.feePayer, depositFeePayer ?? user),
    check(
      `${name} signers`,
      [...signers].every((signer) => signer === user || signer === depositFeePayer),
      [...signers].join()
    )
  ]
}

/** Checks that the transaction is exactly one of the allowed ones. */
export const verifyExactly = (
  name: string,
  data: TransactionData,
  request: ResolvedRequest,
  allowed: ReadonlyArray<Instructions>,
  found: (instructions: Instructions) => Instructions | undefined = (all) => all
): ReadonlyArray<Check> => {
  if (!("instructions" in data)) return [check(name, false, "no Solana transaction")]
  const [texts, text] = [allowed.map(textOf), textOf(found(data.instructions) ?? [])]
  return [
    ...verifySigners(name, data, request),
    checkEqual(`${name} lookup tables`, data.addressLookupTableAddresses.length, 0),
    check(
      `${name} instructions`,
      texts.includes(text),
      texts.includes(text) ? text : `${textOf(data.instructions)} instead of ${texts.join(" or ")}`
    )
  ]
}
