/**
 * Checks a swap within Solana that its user carries out:
 * - there is no other signer, and the transaction names the order
 * - besides one call of a swap program that the client knows, it only opens associated accounts, wraps the input and
 * unwraps for the user
 * - the call goes from the user's account to the recipient's, and its own bytes take no more and give no less than the
 * order
 *
 * SECURITY: not checked is what the program does with the other accounts that it may write to, and whether one of them
 * is a token account of the user: only the chain shows that. So no swap is `ok` by this check alone. The signer must
 * simulate it.
 */
import { openingOf, isSyncing, isUnwrapping, lamportTransferOf, dataBytes } from "../../../swap/RouteInstructions.ts"
import { limitsOf } from "../../../swap/SwapTail.ts"
import { programs, tokenAccountOf } from "../evidence/Programs.ts"
import type { Currency } from "../../../money/Currency.ts"
import type { TransactionData } from "../../TransactionData.ts"
import { check, checkEqual, unchecked } from "../../../quote/verify/Check.ts"
import type { Check } from "../../../quote/verify/Check.ts"
import {
  lamportTransfer,
  memoOf,
  referenceIn,
  textOf,
  tokenPrograms,
  verifySigners,
  withoutLimit
} from "./SolanaParts.ts"
import type { Instruction, SolanaPayment } from "./SolanaParts.ts"

/** A user's own swap, with its least output. */
export interface SolanaSwap extends SolanaPayment {
  /** The least output that the order allows, smallest units of the destination currency. */
  readonly least: bigint
}

/** In both token programs: only the chain knows which one the mint belongs to. */
const accountsOf = (owner: string, { address, isNative }: Currency, wrapped: string): ReadonlyArray<string> =>
  tokenPrograms.flatMap((program) => tokenAccountOf(owner, isNative ? wrapped : address, program) ?? [])

type Part = "opening" | "wrapping" | "syncing" | "swap" | "unwrapping" | "foreign"

const partOf = (
  instruction: Instruction,
  { amount, request: { destinationCurrency, origin, originCurrency, recipient, user } }: SolanaSwap
): Part => {
  const wrapped = originCurrency.isNative || destinationCurrency.isNative
    ? tokenAccountOf(user, origin.swaps?.wrapped ?? "", programs.token)
    : undefined
  if (origin.swaps?.sources.some(({ router }) => String(router) === instruction.programId) === true) return "swap"
  const opened = openingOf(instruction)
  // The user may open accounts of any token on the route; for the output token also the recipient's.
  if (
    opened?.payer === user &&
    (opened.owner === user || (opened.owner === recipient && opened.mint === String(destinationCurrency.address)))
  ) return "opening"
  const transfer = lamportTransferOf(instruction)
  if (
    originCurrency.isNative && transfer !== undefined && transfer.from === user && transfer.to === wrapped &&
    transfer.lamports <= amount
  ) return "wrapping"
  if (wrapped !== undefined && isSyncing(instruction, wrapped)) return "syncing"
  return wrapped !== undefined && isUnwrapping(instruction, user, wrapped) ? "unwrapping" : "foreign"
}

const verifyCall = (name: string, call: Instruction, { amount, least, request }: SolanaSwap): ReadonlyArray<Check> => {
  const { destinationCurrency, origin, originCurrency, recipient, tradeType, user } = request
  const wrapped = origin.swaps?.wrapped ?? ""
  const limits = limitsOf(dataBytes(call))
  const written = new Set(call.keys.filter(({ isWritable }) => isWritable).map(({ pubkey }) => pubkey))
  const isWritten = (accounts: ReadonlyArray<string>) => accounts.some((account) => written.has(account))
  return [
    checkEqual(`${name} exact side`, limits?.exact, tradeType === "EXACT_INPUT" ? "in" : "out"),
    check(`${name} takes`, limits !== undefined && limits.most <= amount, `${limits?.most} of ${amount}`),
    check(`${name} gives`, limits !== undefined && limits.least >= least, `${limits?.least} for ${least}`),
    check(
      `${name} from the user's account`,
      isWritten(accountsOf(user, originCurrency, wrapped)),
      "among what it writes to"
    ),
    check(
      `${name} to the recipient's account`,
      isWritten(accountsOf(recipient, destinationCurrency, wrapped)),
      "among what it writes to"
    )
  ]
}

export const verifySolanaSwap = (name: string, data: TransactionData, expected: SolanaSwap): ReadonlyArray<Check> => {
  if (!("instructions" in data)) return [check(name, false, "no Solana transaction")]
  const { orderId, request } = expected
  const { origin, user } = request
  const [memo, found, ...rest] = withoutLimit(data.instructions, request) ?? []
  const first = [memoOf(orderId), lamportTransfer(user, user, 0n, referenceIn(origin))]
  const begins = memo !== undefined && found !== undefined && textOf([memo, found]) === textOf(first)
  const parts = rest.map((instruction) => partOf(instruction, expected))
  const count = (part: Part) => parts.filter((each) => each === part).length
  const calls = rest.filter((_, index) => parts[index] === "swap")
  return [
    ...verifySigners(name, data, request),
    check(`${name} names the order`, begins, textOf(data.instructions.slice(0, 3))),
    check(
      `${name} instructions`,
      count("foreign") === 0 && count("wrapping") <= 1 && count("unwrapping") <= 1,
      parts.join()
    ),
    checkEqual(`${name} calls`, calls.length, 1),
    ...calls.flatMap((call) => verifyCall(name, call, expected)),
    unchecked(
      `${name} route`,
      "what the swap program does with its other accounts, and that none of them is a token account of yours, is the chain's to say: simulate it"
    )
  ]
}
