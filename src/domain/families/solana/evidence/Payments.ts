/**
 * Which payments a transaction of solana-vm makes, and for which order (SOLANA-4).
 *
 * Measured by what accounts gained, not by instructions: lamports of each account, without the payer's fee; tokens of
 * each owner over all of its accounts of a mint, so moving tokens between two of its own accounts is not a payment.
 * Memos name the order. This is evidence; the judges decide what it proves.
 *
 * SECURITY: what the vault pays out is its owner's own money, and anybody may send it. So a transaction that executes a
 * withdrawal makes no payments, wherever its tokens and lamports go from there. Lamports on token accounts, and
 * anything that reaches the vault, are not payments.
 */
import { solanaAddresses } from "../SolanaAddresses.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import type { PaymentEvidence } from "../../../evidence/TransactionEvidence.ts"
import type { SvmDepository } from "./SvmDepository.ts"
import { isExecution } from "./ExecutedWithdrawals.ts"
import { programs } from "./Programs.ts"
import type { SvmTokens, SvmTransaction } from "./SvmTransaction.ts"

/** Two adjacent ids count as two. */
const id = /0x[0-9a-fA-F]{64}(?=$|[^0-9a-fA-F]|0x[0-9a-fA-F])/g

/** Only ASCII is searched, which UTF-8 leaves unchanged. */
const textOf = (data: Uint8Array): string => Array.from(data, (byte) => String.fromCharCode(byte)).join("")

/** Every id in every memo, top-level and inner, one entry per mention. */
export const orderIdsOf = ({ instructions }: Pick<SvmTransaction, "instructions">): ReadonlyArray<Hex32> =>
  instructions.flatMap(({ data, program }) =>
    program === programs.memo
      ? Array.from(textOf(data).matchAll(id), ([text]) => Hex32.make(`0x${text.slice(2).toLowerCase()}`))
      : []
  )

const direct = { _tag: "Direct" } as const

const lamportsGained = ({ lamports, tokensAfter, tokensBefore }: SvmTransaction): ReadonlyArray<PaymentEvidence> => {
  const ofTokens = new Set([...tokensBefore, ...tokensAfter].map(({ account }) => account))
  return lamports.flatMap(({ account, after, before }) =>
    after > before && !ofTokens.has(account)
      ? [{ recipient: account, currency: solanaAddresses.nativeCurrency, amount: after - before, through: direct }]
      : []
  )
}

const keyOf = ({ mint, owner }: SvmTokens): string => `${owner} ${mint}`

const tokensGained = ({ tokensAfter, tokensBefore }: SvmTransaction): ReadonlyArray<PaymentEvidence> => {
  const before = Map.groupBy(tokensBefore, keyOf)
  const sum = (all: ReadonlyArray<SvmTokens>): bigint => all.reduce((total, { amount }) => total + amount, 0n)
  return [...Map.groupBy(tokensAfter, keyOf)].flatMap(([key, held]): ReadonlyArray<PaymentEvidence> => {
    const [first] = held
    const gained = sum(held) - sum(before.get(key) ?? [])
    return first === undefined || gained <= 0n
      ? []
      : [{ recipient: first.owner, currency: first.mint, amount: gained, through: direct }]
  })
}

/** Lamports first, then tokens, in the order of the transaction's accounts. */
export const paymentsOf = (
  transaction: SvmTransaction,
  { program, vault }: SvmDepository
): ReadonlyArray<PaymentEvidence> =>
  transaction.instructions.some((instruction) => isExecution(instruction, program))
    ? []
    : [...lamportsGained(transaction), ...tokensGained(transaction)].filter(({ recipient }) => recipient !== vault)
