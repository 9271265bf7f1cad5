/**
 * Compares the simulated result of a swap with its quote. Pure.
 *
 * SECURITY: the user's lamports, including those on its token accounts, fall by at most the input, the fee and the rent
 * of a recipient's account. Each of its tokens falls by at most the input. The recipient gets at least the minimum. No
 * account of the user gets another owner, delegate or authority.
 */
import { LAMPORTS_A_SIGNATURE } from "../../pay/Fees.ts"
import type { ShownAccount } from "../../rpc/Tokens.ts"
import { rentToOpen, tokensIn } from "../../rpc/Tokens.ts"

export interface Tried {
  readonly address: string
  readonly before: ShownAccount | undefined
  readonly after: ShownAccount | undefined
}

export interface RouteTried {
  readonly user: Tried
  /** The user's token accounts of the route. */
  readonly own: ReadonlyArray<Tried>
  /** The account that receives tokens. Undefined when the output is native currency. */
  readonly destination: Tried | undefined
  /** The user's account that pays. Undefined when the input is native currency. */
  readonly source: string | undefined
  readonly systemProgram: string
  /** Accounts of wrapped SOL are counted by their lamports. */
  readonly wrapped: string | undefined
  readonly isForeign: boolean
  /** What the destination must hold once it is open, lamports. */
  readonly destinationRent: bigint
  readonly most: bigint
  readonly least: bigint
}

const AMOUNT_AT = 64
const AFTER_AMOUNT = 72

const lamportsOf = (account: ShownAccount | undefined): bigint => account?.lamports ?? 0n

/** Everything of a token account but its amount and its native amount, which changes with it. */
const restOf = ({ data }: ShownAccount): string =>
  Buffer.concat([data.subarray(0, AMOUNT_AT), data.subarray(AFTER_AMOUNT)]).toString("hex")

const isHandedOn = ({ after, before }: Tried): boolean =>
  before !== undefined && after !== undefined && (before.owner !== after.owner || restOf(before) !== restOf(after))

/** The difference in words, for the log. Undefined when everything is as quoted. */
export const differenceOf = (
  { destination, destinationRent, isForeign, least, most, own, source, systemProgram, user, wrapped }: RouteTried
): string | undefined => {
  if (user.after !== undefined && (user.after.owner !== systemProgram || user.after.data.length > 0)) {
    return "the user's account would be a program's"
  }
  if (own.some(isHandedOn)) return "a token account of the user's would be handed on"
  const lamports = (pick: (tried: Tried) => ShownAccount | undefined) =>
    [user, ...own].reduce((sum, tried) => sum + lamportsOf(pick(tried)), 0n)
  const rent = isForeign ? rentToOpen(destination?.before, destinationRent) : 0n
  const allowed = (source === undefined ? most : 0n) + LAMPORTS_A_SIGNATURE + rent -
    (destination === undefined ? least : 0n)
  const spent = lamports(({ before }) => before) - lamports(({ after }) => after)
  if (spent > allowed) return `it takes ${spent - allowed} lamports more than it may`
  for (const { address, after, before } of own.filter((tried) => tried.address !== wrapped)) {
    if (tokensIn(before) - tokensIn(after) > (address === source ? most : 0n)) {
      return "it takes more of a token than was quoted"
    }
  }
  return destination !== undefined && tokensIn(destination.after) - tokensIn(destination.before) < least
    ? "it gives less than was quoted"
    : undefined
}
