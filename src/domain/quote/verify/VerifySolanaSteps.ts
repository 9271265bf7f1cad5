/**
 * The deposit step of a Solana origin against its order: the instructions that the wallet is asked to sign are exactly those that
 * pay the order's amount into the vault of the depository that the client knows, and name the order.
 *
 * SECURITY: a list of what is allowed, made here from the client's own configuration, each account and byte of it: what the service
 * says is only compared. Which of the two token programs has a mint, and whether the vault's account is open, is the chain's to say: with
 * the wrong answer the transaction fails, and moves nothing.
 */
import { bytesToHex } from "@noble/hashes/utils.js"
import { DEPOSIT_COMPUTE_UNITS } from "../../chain/SolanaCosts.ts"
import { discriminatorOf } from "../../evidence/solana/Discriminator.ts"
import { depositoryOf, programs, tokenAccountOf, vaultOf } from "../../evidence/solana/Programs.ts"
import type { OrderId } from "../../order/Order.ts"
import type { ResolvedRequest } from "../ResolveRequest.ts"
import type { Step } from "../wire/Step.ts"
import type { SolanaTransactionData, TransactionData } from "../wire/TransactionData.ts"
import { check, checkEqual, unchecked } from "./Check.ts"
import type { Check } from "./Check.ts"

/** What the transaction has to pay. */
export interface SolanaDeposit {
  readonly request: ResolvedRequest
  readonly orderId: OrderId
  readonly amount: bigint
}

type Instruction = SolanaTransactionData["instructions"][number]
type Key = Instruction["keys"][number]

/** An account that cannot be computed is none: nothing equals it. */
const key = (pubkey: string | undefined, isSigner: boolean, isWritable: boolean): Key => ({ pubkey: pubkey ?? "none", isSigner, isWritable })
const reads = (pubkey: string | undefined) => key(pubkey, false, false)
const writes = (pubkey: string | undefined) => key(pubkey, false, true)
const pays = (pubkey: string | undefined) => key(pubkey, true, true)

const little = (value: bigint, bytes: number): string =>
  Array.from({ length: bytes }, (_, index) => ((value >> BigInt(8 * index)) & 0xffn).toString(16).padStart(2, "0")).join("")

/** The depository's accounts that follow from its program, which is the client's own. */
const depositInstruction = ({ amount, orderId, request: { origin, originCurrency, user } }: SolanaDeposit, tokenProgram: string): Instruction => {
  const programId = origin.depository
  const [own, vault] = [depositoryOf(programId), vaultOf(programId)]
  const dataOf = (name: "depositNative" | "depositToken") => bytesToHex(discriminatorOf(name)) + little(amount, 8) + orderId.slice(2)
  // Twice the user: who pays, and whom the deposit is credited to.
  const first = [reads(own), pays(user), reads(user)]
  if (originCurrency.isNative) return { programId, keys: [...first, writes(vault), reads(programs.system)], data: dataOf("depositNative") }
  const mint = originCurrency.address
  return {
    programId,
    keys: [
      ...first, reads(vault), reads(mint), writes(tokenAccountOf(user, mint, tokenProgram)), writes(vault && tokenAccountOf(vault, mint, tokenProgram)),
      reads(tokenProgram), reads(programs.associatedToken), reads(programs.system)
    ],
    data: dataOf("depositToken")
  }
}

/** SetComputeUnitLimit; there is no allowed instruction that sets a price. */
const unitLimit: Instruction = { programId: programs.computeBudget, keys: [], data: `02${little(BigInt(DEPOSIT_COMPUTE_UNITS), 4)}` }

/** CreateIdempotent of the vault's account, by another payer of fees. */
const opening = ({ request: { depositFeePayer, origin, originCurrency } }: SolanaDeposit, tokenProgram: string): Instruction => {
  const [mint, vault] = [originCurrency.address, vaultOf(origin.depository)]
  return {
    programId: programs.associatedToken,
    keys: [
      pays(depositFeePayer), writes(vault && tokenAccountOf(vault, mint, tokenProgram)), reads(vault), reads(mint), reads(programs.system), reads(tokenProgram)
    ],
    data: "01"
  }
}

type Instructions = ReadonlyArray<Instruction>

const allowedInstructions = (expected: SolanaDeposit): ReadonlyArray<Instructions> => {
  const { computeUnitLimit, depositFeePayer, originCurrency } = expected.request
  const limit = computeUnitLimit ? [unitLimit] : []
  if (originCurrency.isNative) return [[...limit, depositInstruction(expected, "none")]]
  return [programs.token, programs.token2022].flatMap((program): ReadonlyArray<Instructions> => {
    const deposit = depositInstruction(expected, program)
    const open = [...limit, deposit]
    return depositFeePayer === undefined ? [open] : [open, [...limit, opening(expected, program), deposit]]
  })
}

/** One text for one list of instructions, whatever is in its strings. */
const textOf = (instructions: Instructions): string =>
  JSON.stringify(instructions.map(({ data, keys, programId }) => [programId, keys.map(({ isSigner, isWritable, pubkey }) => [pubkey, isSigner, isWritable]), data]))

const verifyTransaction = (name: string, data: TransactionData, expected: SolanaDeposit): ReadonlyArray<Check> => {
  if (!("instructions" in data)) return [check(name, false, "no Solana transaction")]
  const { depositFeePayer, user } = expected.request
  const allowed = allowedInstructions(expected).map(textOf)
  const found = textOf(data.instructions)
  const signers = new Set(data.instructions.flatMap(({ keys }) => keys.filter(({ isSigner }) => isSigner).map(({ pubkey }) => pubkey)))
  return [
    checkEqual(`${name} fee payer`, data.feePayer, depositFeePayer ?? user),
    check(`${name} signers`, [...signers].every((signer) => signer === user || signer === depositFeePayer), [...signers].join()),
    checkEqual(`${name} lookup tables`, data.addressLookupTableAddresses.length, 0),
    check(`${name} instructions`, allowed.includes(found), allowed.includes(found) ? found : `${found} instead of ${allowed.join(" or ")}`)
  ]
}

/** All steps of a plain deposit on Solana: one, of one transaction. */
export const verifySolanaSteps = (steps: ReadonlyArray<Step>, expected: SolanaDeposit): ReadonlyArray<Check> => [
  checkEqual("deposit steps", steps.length, 1),
  check("no deposit address", steps.every((step) => step.depositAddress === undefined), "not asked for"),
  ...steps.flatMap((step) =>
    step.kind === "transaction" && step.id === "deposit"
      ? [check("deposit items", step.items.length === 1, `${step.items.length}`), ...step.items.flatMap(({ data }, index) => verifyTransaction(`deposit ${index}`, data, expected))]
      : [unchecked(`step ${step.id}`, "a deposit on Solana needs no other step")])
]
