/**
 * The balances of deposit addresses: their lamports, and the tokens of their associated accounts. Concurrent readings
 * share requests, with up to a hundred accounts in each.
 *
 * Read at `confirmed`, which since Alpenglow is final. Where such a block is rolled back all the same, the sweep that the
 * balance caused is rolled back too, because it is later in the same history. The sweep's own block decides what counts as
 * a deposit. A balance below `confirmed` is ignored.
 */
import { address } from "@solana/kit"
import type { Address as SolanaAddress } from "@solana/kit"
import { Effect, Exit, Layer, Request, RequestResolver } from "effect"
import { AddressBalances, nothingLeft } from "../../../ports/chain/AddressBalances.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccountsAt, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import type { Mint, ShownAccount } from "../rpc/Tokens.ts"

/** The most accounts that nodes take in one request. */
const MOST_ACCOUNTS = 100

/** How long a request waits for others to join it. */
const JOINING = "5 millis"

/** Cached token accounts of addresses: computing one takes a good part of a millisecond. */
const REMEMBERED = 20_000

/**
 * The account that holds a currency of an address. Undefined for a currency that is not accepted, because less arrives
 * than is sent.
 */
type Held =
  | { readonly account: SolanaAddress; readonly unitsOf: (shown: ShownAccount | undefined) => bigint }
  | undefined

interface Seen {
  readonly slot: bigint
  readonly accounts: ReadonlyMap<SolanaAddress, ShownAccount | undefined>
}

class ReadOf extends Request.Class<
  { readonly chain: Chain; readonly holder: Address; readonly currencies: ReadonlyArray<Currency> },
  ReadonlyArray<Reading>,
  ChainUnavailable
> {}

const lamportsOf = (shown: ShownAccount | undefined): bigint => shown?.lamports ?? 0n

const makeTokenAccounts = () => {
  const known = new Map<string, SolanaAddress>()
  return async (mint: Mint, owner: SolanaAddress): Promise<SolanaAddress> => {
    const key = `${mint.address} ${owner}`
    const before = known.get(key)
    if (before !== undefined) return before
    const found = await tokenAccountOf(mint, owner)
    if (known.size >= REMEMBERED) known.clear()
    known.set(key, found)
    return found
  }
}

const seeAll = async (client: SolanaClient, accounts: ReadonlyArray<SolanaAddress>): Promise<Seen> => {
  const { accounts: shown, slot } = await readAccountsAt(client, accounts)
  return { slot, accounts: new Map(accounts.map((account, index) => [account, shown[index]])) }
}

const readingsOf = (held: ReadonlyArray<Held>, { accounts, slot }: Seen): ReadonlyArray<Reading> =>
  held.map((each): Reading =>
    each === undefined
      ? { _tag: "Unread", untaken: true }
      : { _tag: "Read", units: each.unitsOf(accounts.get(each.account)), height: slot }
  )

/** All accounts of one reading are in one request, if they fit, so that they are read at one slot. */
const paged = <A extends { readonly held: ReadonlyArray<Held> }>(
  asked: ReadonlyArray<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  const pages: Array<Array<A>> = []
  let taken = MOST_ACCOUNTS
  for (const each of asked) {
    if (taken + each.held.length > MOST_ACCOUNTS) {
      pages.push([])
      taken = 0
    }
    pages.at(-1)?.push(each)
    taken += each.held.length
  }
  return pages
}

export const layer = Layer.effect(
  AddressBalances,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const tokenAccount = makeTokenAccounts()

    const heldIn = async (client: SolanaClient, chain: Chain, holder: Address, currency: Currency): Promise<Held> => {
      const owner = address(holder)
      if (currency.isNative) return { account: owner, unitsOf: lamportsOf }
      const mint = await mintOf(client, chain, currency)
      return mint.isWhole ? { account: await tokenAccount(mint, owner), unitsOf: tokensIn } : undefined
    }

    const resolver = RequestResolver.makeGrouped<ReadOf, Chain>({
      key: ({ request }) => request.chain,
      resolver: (entries, chain) =>
        Effect.gen(function*() {
          const asked = yield* rpc.call(chain, "accounts of deposit addresses", (client) =>
            Promise.all(entries.map(async (entry) => ({
              entry,
              held: await Promise.all(entry.request.currencies.map((currency) =>
                heldIn(client, chain, entry.request.holder, currency)
              ))
            }))))
          yield* Effect.forEach(paged(asked), (page) => {
            const accounts = [
              ...new Set(page.flatMap(({ held }) =>
                held.flatMap((each) =>
                  each === undefined ? [] : [each.account]
                )
              ))
            ]
            return Effect.map(
              Effect.exit(rpc.call(chain, "balances of deposit addresses", (client) => seeAll(client, accounts))),
              (seen) => {
                for (const { entry, held } of page) {
                  entry.completeUnsafe(Exit.map(seen, (found) => readingsOf(held, found)))
                }
              }
            )
          }, { concurrency: 4, discard: true })
        })
    }).pipe(RequestResolver.setDelay(JOINING))

    return AddressBalances.of({
      leftBySweeps: nothingLeft,
      read: (chain, holder, currencies) => Effect.request(new ReadOf({ chain, holder, currencies }), resolver)
    })
  })
)
