/**
 * A payment as a Solana transaction (SOLANA-4): a memo with only the order's id, and one transfer. It sends lamports
 * through the System program, or tokens to the recipient's associated account, which it opens when it is missing.
 *
 * SECURITY: the recipient can close that account, or hand it to another owner, until the very block of the payment. So
 * each payment of tokens is carried out only to an account that is the recipient's, and opens one only when its cost was
 * counted as it was signed (SOLANA-22).
 */
import {
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import type { Blockhash, Instruction, TransactionSigner } from "@solana/kit"
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import { getTransferCheckedInstruction } from "@solana-program/token"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { kitInstruction, openAssociated, withoutOpening } from "../rpc/Instructions.ts"
import type { PaymentFacts, TokenFacts } from "./PaymentFacts.ts"

/** A recent block, and until when a transaction that names it can be executed. */
export interface RecentBlock {
  readonly blockhash: Blockhash
  readonly lastValidBlockHeight: bigint
}

const openingOf = (
  payer: TransactionSigner,
  { recipient }: Payment,
  { destination, mint, opens }: TokenFacts
): Instruction => {
  const opening = openAssociated(payer.address, {
    account: destination,
    owner: recipient,
    mint: mint.address,
    program: mint.program
  })
  return kitInstruction(opens ? opening : withoutOpening(opening))
}

/** An account of Token-2022 whose owner wants memos takes a transfer only right behind one (SOLANA-26). */
const movingTokens = (
  payer: TransactionSigner,
  payment: Payment,
  token: TokenFacts,
  memo: Instruction
): ReadonlyArray<Instruction> => {
  const { destination, mint, source } = token
  const { amount, currency } = payment
  return [
    openingOf(payer, payment, token),
    memo,
    getTransferCheckedInstruction(
      { source, mint: mint.address, destination, authority: payer, amount, decimals: currency.decimals },
      { programAddress: mint.program }
    )
  ]
}

const budget = ({ unitPrice, units }: PaymentFacts): ReadonlyArray<Instruction> => [
  getSetComputeUnitLimitInstruction({ units }),
  ...(unitPrice === 0n ? [] : [getSetComputeUnitPriceInstruction({ microLamports: unitPrice })])
]

export const paymentMessage = (
  payer: TransactionSigner,
  payment: Payment,
  facts: PaymentFacts,
  recent: RecentBlock
) => {
  const memo = getAddMemoInstruction({ memo: payment.orderId })
  const moves = facts.token === undefined
    ? [
      memo,
      getTransferSolInstruction({ source: payer, destination: address(payment.recipient), amount: payment.amount })
    ]
    : movingTokens(payer, payment, facts.token, memo)
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    (message) => appendTransactionMessageInstructions([...budget(facts), ...moves], message)
  )
}
