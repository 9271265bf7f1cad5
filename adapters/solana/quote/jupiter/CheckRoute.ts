/**
 * Whether a user may be asked to sign a swap server's answer. Pure: all facts were read from the chain before.
 *
 * SECURITY: the server is not trusted. Its answer may hold one call of the configured program, whose own bytes state
 * the input and the minimum output. Besides that only these instructions pass: opening the user's associated accounts
 * of the route's tokens, wrapping at most the input as SOL, and unwrapping to the user. The user is the only signer,
 * none of its other token accounts is writable, and no instruction has a place for a fee. What the program does beyond
 * this has to be trusted, like a router on EVM. The whole transaction is also simulated (`RouteOutcome`).
 */
import { hexFromBytes } from "../../../../src/domain/encoding/Hex.ts"
import { isTokenProgram, tokenAccountOf } from "../../../../src/domain/families/solana/evidence/Programs.ts"
import { isSyncing, isUnwrapping, lamportTransferOf, openingOf } from "../../../../src/domain/swap/RouteInstructions.ts"
import type { RouteInstruction } from "../../../../src/domain/swap/RouteInstructions.ts"
import type { ExactSide } from "../../../../src/domain/swap/SwapQuote.ts"
import { limitsOf } from "../../../../src/domain/swap/SwapTail.ts"
import type { UserInstruction } from "../../../../src/domain/swap/UserCall.ts"
import type { ShownAccount } from "../../rpc/Tokens.ts"
import type { AnsweredInstruction, InstructionsAnswer } from "./JupiterAnswers.ts"
import { hexDigits } from "../../../../src/domain/encoding/HexDigits.ts"

export interface RouteFacts {
  readonly user: string
  /** The swap program. */
  readonly router: string
  /** Every token of the route, with its token program. */
  readonly mints: ReadonlyMap<string, string>
  readonly source: string
  readonly destination: string
  /** The user's account of wrapped SOL, when the input or the output is native currency. */
  readonly wrapped: string | undefined
  readonly wraps: boolean
  readonly exact: ExactSide
  readonly most: bigint
  readonly least: bigint
  /** The accounts on the chain. Missing ones are left out. */
  readonly accounts: ReadonlyMap<string, ShownAccount>
}

const dataOf = ({ data }: AnsweredInstruction): Uint8Array => new Uint8Array(Buffer.from(data, "base64"))

const keysOf = ({ accounts }: AnsweredInstruction): ReadonlyArray<string> => accounts.map(({ pubkey }) => pubkey)

/** The user's own accounts of the route's tokens: the ones that it may be asked to open, and that may change. */
export const ownAccounts = ({ mints, user }: Pick<RouteFacts, "mints" | "user">): ReadonlySet<string> =>
  new Set([...mints].flatMap(([mint, program]) => tokenAccountOf(user, mint, program) ?? []))

const wired = (instruction: AnsweredInstruction): RouteInstruction => ({
  programId: instruction.programId,
  keys: instruction.accounts,
  data: hexDigits(dataOf(instruction))
})

/** True when the user opens one of its own accounts. */
const isOpening = (instruction: AnsweredInstruction, { mints, user }: RouteFacts): boolean => {
  const opening = openingOf(wired(instruction))
  return opening !== undefined && opening.payer === user && opening.owner === user &&
    opening.tokenProgram === mints.get(opening.mint)
}

/** True for a System transfer from the user to its own account of wrapped SOL, of at most the input. */
const isWrapping = (instruction: AnsweredInstruction, { most, user, wrapped, wraps }: RouteFacts): boolean => {
  const transfer = lamportTransferOf(wired(instruction))
  return wraps && transfer !== undefined && transfer.lamports <= most && transfer.from === user &&
    transfer.to === wrapped
}

const isUnique = (list: ReadonlyArray<unknown>): boolean => new Set(list).size === list.length

const OWNER_AT = 32
const DELEGATE_AT = 76

/** True for a token account from which the user's signature can move money. */
const isOfUser = (account: ShownAccount | undefined, userBytes: string): boolean => {
  if (account === undefined || !isTokenProgram(account.owner) || account.data.length < 165) return false
  const at = (offset: number) => hexDigits(account.data.subarray(offset, offset + 32))
  return at(OWNER_AT) === userBytes || (account.data[DELEGATE_AT - 4] === 1 && at(DELEGATE_AT) === userBytes)
}

const wrongSwap = (swap: AnsweredInstruction, facts: RouteFacts, userBytes: string): string | undefined => {
  const { accounts, destination, exact, least, most, router, source, user } = facts
  if (swap.programId !== router) return "it calls another program than the one that swaps"
  if (swap.accounts.some(({ isSigner, pubkey }) => isSigner && pubkey !== user)) {
    return "somebody else would have to sign"
  }
  const limits = limitsOf(dataOf(swap))
  if (limits === undefined) return "its instruction is not one of the interface, or takes a fee"
  if (limits.exact !== exact || limits.most > most || limits.least < least) {
    return "its instruction takes more, or gives less, than was quoted"
  }
  const written = swap.accounts.filter(({ isWritable }) => isWritable).map(({ pubkey }) => pubkey)
  if (!written.some((key) => key === source) || !written.some((key) => key === destination)) {
    return "it does not go from the user's account to the recipient's"
  }
  const own = ownAccounts(facts)
  return written.some((key) => !own.has(key) && key !== destination && isOfUser(accounts.get(key), userBytes))
    ? "it could write to another of the user's token accounts"
    : undefined
}

/** Why the user must not sign it. Undefined when the user may. `userBytes`: the user's address as hex. */
export const refusalOf = (answer: InstructionsAnswer, facts: RouteFacts, userBytes: string): string | undefined => {
  const {
    cleanupInstruction: cleanup,
    otherInstructions = [],
    setupInstructions: setup,
    swapInstruction: swap,
    tokenLedgerInstruction: ledger
  } = answer
  if (otherInstructions.length > 0 || (ledger !== undefined && ledger !== null)) {
    return "it has instructions that no swap needs"
  }
  const opened = setup.filter((each) => isOpening(each, facts))
  const wrapping = setup.filter((each) => isWrapping(each, facts))
  const known = [...opened, ...wrapping, ...setup.filter((each) => isSyncing(wired(each), facts.wrapped))]
  if (setup.some((each) => !known.includes(each))) {
    return "its setup does more than open the user's accounts and wrap what goes in"
  }
  if (wrapping.length > 1 || !isUnique(opened.map((each) => keysOf(each)[1]))) return "its setup does something twice"
  if (
    cleanup !== undefined && cleanup !== null &&
    (facts.wrapped === undefined || !isUnwrapping(wired(cleanup), facts.user, facts.wrapped))
  ) return "its cleanup does more than unwrap SOL for the user"
  return wrongSwap(swap, facts, userBytes)
}

export const userInstruction = (instruction: AnsweredInstruction): UserInstruction => ({
  program: instruction.programId,
  accounts: instruction.accounts.map(({ isSigner, isWritable, pubkey }) => ({
    address: pubkey,
    signs: isSigner,
    writes: isWritable
  })),
  data: hexFromBytes(dataOf(instruction))
})
