/**
 * A route and the accounts that it may change: their state before, and what a simulation shows of them afterwards. For
 * a user who signs the route, and for the solver who pays through one.
 */
import { address, getBase64Encoder } from "@solana/kit"
import type { Address, AccountInfoBase, AccountInfoWithBase64EncodedData } from "@solana/kit"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { programs, tokenAccountOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { TOKEN_ACCOUNT_BYTES } from "../../../src/domain/families/solana/SolanaCosts.ts"
import type { InstructionRoute } from "../../../src/domain/swap/UserCall.ts"
import { ownAccounts } from "../quote/jupiter/CheckRoute.ts"
import { differenceOf } from "../quote/jupiter/RouteOutcome.ts"
import type { Tried } from "../quote/jupiter/RouteOutcome.ts"
import { rentOf } from "../rpc/Rent.ts"
import { NodeIsBehind } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { isMissing, mintOf, readAccounts, rentToOpen, tokensIn } from "../rpc/Tokens.ts"
import type { ShownAccount } from "../rpc/Tokens.ts"

export interface RouteState {
  readonly route: InstructionRoute
  readonly user: string
  /** The user first, then its token accounts of the route, then the recipient's if it is another. */
  readonly watched: ReadonlyArray<string>
  readonly before: ReadonlyArray<ShownAccount | undefined>
  /** The account that receives tokens. Undefined when the output is native currency. */
  readonly destination: string | undefined
  /** The user's account that pays. Undefined when the input is native currency. */
  readonly source: string | undefined
  readonly wrapped: string | undefined
  readonly isForeign: boolean
  /** The user's balance of the input, smallest units. */
  readonly balance: bigint
  readonly lamports: bigint
  /** Rent of accounts that stay open, and of one that is closed again. Lamports. */
  readonly rent: bigint
  readonly lent: bigint
  /** Whether the destination has to be opened, and the part of `rent` that a recipient who is not the user gets so. */
  readonly opens: boolean
  /**
   * SECURITY: all of it, whatever others have sent to the address: who opens and closes the account before the
   * transaction has that (SOLANA-22).
   */
  readonly given: bigint
  /** What the destination must hold once it is open, lamports. */
  readonly destinationRent: bigint
}

type Mints = ReadonlyMap<string, string>

/** What a new account of a route's token must hold, lamports. `mints`: each with its token program. */
const accountRent = async (client: SolanaClient, chain: Chain, mints: Mints, mint: string): Promise<bigint> =>
  rentOf(
    client,
    mints.get(mint) === programs.token2022
      ? (await mintOf(client, chain, { address: mint })).accountBytes
      : TOKEN_ACCOUNT_BYTES
  )

/** The same of each of the user's own accounts that the route opens. */
const ownRents = async (
  client: SolanaClient,
  chain: Chain,
  user: string,
  mints: Mints,
  opened: ReadonlySet<string>
): Promise<ReadonlyMap<string, bigint>> =>
  new Map(
    await Promise.all([...mints].flatMap(([mint, program]) => {
      const key = tokenAccountOf(user, mint, program)
      return key === undefined || !opened.has(key)
        ? []
        : [accountRent(client, chain, mints, mint).then((rent) => [key, rent] as const)]
    }))
  )

/** `into`: where the output goes in the end, when it stays on no account of the route. */
export const readRoute = async (
  client: SolanaClient,
  chain: Chain,
  user: string,
  route: InstructionRoute,
  into?: Address
): Promise<RouteState> => {
  const wrappedMint = chain.swaps?.wrapped ?? ""
  const mints = new Map(route.passes.map(({ mint, program }) => [mint, program]))
  const accountOf = (owner: string, { address: text, isNative }: InstructionRoute["to"]) => {
    const mint = isNative ? wrappedMint : text
    return tokenAccountOf(owner, mint, mints.get(mint) ?? "")
  }
  const [source, destination] = [accountOf(user, route.from), into ?? accountOf(route.recipient, route.to)]
  const wrapped = tokenAccountOf(user, wrappedMint, mints.get(wrappedMint) ?? "")
  const own = [...ownAccounts({ user, mints })]
  const watched = [user, ...own, ...(destination === undefined || own.includes(destination) ? [] : [destination])]
  const before = await readAccounts(client, watched.map((key) => address(key)))
  const shown = (key: string) => before[watched.indexOf(key)]
  // The rent of an account that is opened and closed again comes back.
  const opened = new Set<string>([
    ...route.instructions.filter(({ program }) => program === programs.associatedToken)
      .flatMap(({ accounts }) => accounts[1]?.address ?? []),
    // Whatever pays into it opens it.
    ...(into === undefined ? [] : [into])
  ])
  const isForeign = into !== undefined || route.recipient !== user
  const theirs = isForeign && destination !== undefined && !own.includes(destination) ? destination : undefined
  const [destinationRent, rents] = await Promise.all([
    accountRent(client, chain, mints, route.to.isNative ? wrappedMint : route.to.address),
    ownRents(client, chain, user, mints, opened)
  ])
  const opening = (key: string) => {
    if (!opened.has(key)) return 0n
    if (key === theirs) return isMissing(shown(key)) ? destinationRent : 0n
    return rentToOpen(shown(key), rents.get(key) ?? 0n)
  }
  const closes = route.from.isNative || route.to.isNative
  const lent = closes && wrapped !== undefined ? opening(wrapped) : 0n
  return {
    route,
    user,
    watched,
    before,
    wrapped,
    destination: route.to.isNative ? undefined : destination,
    source: route.from.isNative ? undefined : source,
    isForeign,
    balance: route.from.isNative ? before[0]?.lamports ?? 0n : tokensIn(shown(source ?? "")),
    lamports: before[0]?.lamports ?? 0n,
    rent: [...opened].reduce((sum, key) => sum + opening(key), 0n) - lent,
    lent,
    opens: destination !== undefined && isMissing(shown(destination)),
    given: theirs === undefined ? 0n : opening(theirs),
    destinationRent
  }
}

type Simulated = ReadonlyArray<(AccountInfoBase & AccountInfoWithBase64EncodedData) | null> | null

/** The accounts after a simulation. Throws when the node does not return them. */
const accountsAfter = (
  shown: Simulated,
  { watched }: RouteState
): ReadonlyArray<ShownAccount | undefined> => {
  if (shown === null || shown.length !== watched.length) throw new NodeIsBehind()
  return shown.map((account) =>
    account === null ? undefined : {
      lamports: account.lamports,
      owner: account.owner,
      executable: account.executable,
      data: new Uint8Array(getBase64Encoder().encode(account.data[0]))
    }
  )
}

/**
 * How a simulated transaction differs from the route, in words. Undefined when everything is as quoted. `least`: what
 * must come out, where it is not the route's own minimum.
 */
export const differenceAfter = (
  state: RouteState,
  simulated: Simulated,
  least: bigint = state.route.least
): string | undefined => {
  const { before, destination, destinationRent, isForeign, route, source, watched, wrapped } = state
  const after = accountsAfter(simulated, state)
  const all = watched.map((key, index): Tried => ({ address: key, before: before[index], after: after[index] }))
  const [user] = all
  if (user === undefined) throw new Error("nobody's route")
  return differenceOf({
    user,
    own: all.slice(1).filter((each) => !isForeign || each.address !== destination),
    destination: all.find((each) => each.address === destination),
    source,
    wrapped,
    systemProgram: SYSTEM_PROGRAM_ADDRESS,
    isForeign,
    destinationRent,
    most: route.most,
    least
  })
}
