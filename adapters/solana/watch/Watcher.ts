/**
 * Deposits of a Solana chain. Scans from a cursor of slots find them, by the transactions of the vault and of the
 * vault's token accounts. Rechecks read them by signature. Everything is read at confirmed: such blocks are almost
 * never rolled back, but the code allows for it.
 *
 * A rollback shows as a slot that now has another block, or none. The scan then goes back far enough to see every
 * deposit again. Recording is idempotent, so going back too far only costs time.
 */
import { address, isSignature } from "@solana/kit"
import type { Address as SolanaAddress, Signature } from "@solana/kit"
import { Effect, Layer } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type {
  Cursor,
  FinalityAsked,
  FinalScan,
  Head,
  Heads,
  Scan,
  Standing
} from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { depositRead } from "../../endpoints/DepositRead.ts"
import { readHeads } from "../../endpoints/ReadHeads.ts"
import { readFinality } from "../../endpoints/ReadFinality.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { depositsIn } from "./Deposits.ts"
import { assertNotIn, hashAt } from "./History.ts"
import { blockAt } from "../pay/Landing.ts"
import { candidatesOf } from "./DepositCandidates.ts"
import type { Candidate } from "./DepositCandidates.ts"
import { NodeIsBehind, SolanaRpc } from "../rpc/SolanaRpc.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, tokenAccountOf } from "../rpc/Tokens.ts"
import { makeNewerVersions } from "../rpc/TransactionVersion.ts"

/**
 * How far a scan goes back when the cursor's block has vanished: further than a slot can be confirmed without being
 * final.
 */
const REWIND_SLOTS = 512n

/**
 * Slots that every scan reads again: a node may know a block before its index does. About thirteen seconds (SOLANA-28).
 */
const OVERLAP_SLOTS = 64n

/** The same for each look at final blocks, half a minute: a final block is as new as a confirmed one. */
const SETTLED_SLOTS = 150n

/** Transactions that a scan reads concurrently. */
const AT_ONCE = 16

/** For the deposits that a scan has read and the next scans read again. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024

/** A scan ends early, at the end of a slot, after this many deposits: a long absence may hold millions. */
const MANY = 20_000

const newest = async (client: SolanaClient, commitment: "confirmed" | "finalized"): Promise<Head> => {
  const { hash, height, time } = await blockAt(client, await client.getSlot({ commitment }).send(), commitment)
  return { height, hash, time }
}

/** The accounts that can receive: the vault, and its account for each configured token. */
const receiversOf = async (client: SolanaClient, chain: Chain): Promise<ReadonlyArray<SolanaAddress>> => {
  const vault = vaultOf(chain.depository)
  if (vault === undefined) return []
  const tokens = chain.currencies.filter(({ isNative }) => !isNative)
  const accounts = await Promise.all(
    tokens.map(async (currency) => tokenAccountOf(await mintOf(client, chain, currency), address(vault)))
  )
  return [address(vault), ...accounts]
}

/** A cache of deposits by endpoint and by the slot of their transaction: scans overlap, but reads need not. */
class Completed {
  private readonly known = new ByteBoundedCache<ReadonlyArray<Deposit>>(MAX_REMEMBERED_BYTES)
  private readonly clients = new ClientNames<SolanaClient>()
  private readonly newer = makeNewerVersions()

  async depositsIn(
    client: SolanaClient,
    chain: Chain,
    { signature, slot }: Candidate
  ): Promise<ReadonlyArray<Deposit>> {
    const key = `${this.clients.nameOf(client)}:${slot}:${signature}`
    const before = this.known.find(key)
    if (before !== undefined) return before
    const deposits = await this.newer.passOver(chain, signature, depositsIn(client, chain, signature), [])
    // The index had it a moment ago. A node that lacks it now has no answer yet.
    if (deposits === undefined || deposits.some(({ block }) => block.height !== slot)) throw new NodeIsBehind()
    this.known.keep(key, deposits)
    return deposits
  }

  /** With the transactions that were passed over. A scan that fails leaves them to the next. */
  withUnread<A extends Pick<FinalScan, "unread">>(chain: Chain, scanned: A): Effect.Effect<A> {
    return Effect.map(this.newer.tell(chain), (unread) => unread.length === 0 ? scanned : { ...scanned, unread })
  }

  /** After a rollback a transaction may be back in the same slot, in another block. */
  forget(): void {
    this.known.forgetAll()
  }
}

const inOrder = (one: Deposit, other: Deposit): number =>
  one.block.height === other.block.height ? one.index - other.index : one.block.height < other.block.height ? -1 : 1

/** Reads down from a slot. Says where it ended, if before the last slot, and never before the cursor. */
const depositsFrom = async (
  completed: Completed,
  client: SolanaClient,
  chain: Chain,
  from: bigint,
  cursor: bigint,
  to: bigint
): Promise<{ readonly deposits: ReadonlyArray<Deposit>; readonly early?: Cursor }> => {
  const found = await Promise.all(
    (await receiversOf(client, chain)).map((account) => candidatesOf(client, account, { from, cursor }))
  )
  // The account with the most transactions has its newest left out. The scan ends before those.
  const upTo = found.reduce((least, { upTo = least }) => upTo < least ? upTo : least, to)
  // Asked last: transactions that the node has pruned by now may be missing from its list, and no later scan would look
  // there.
  if ((await client.getFirstAvailableBlock().send()) > from) throw new NodeIsBehind()
  const ordered = found.flatMap(({ places }) => places).filter(({ slot }) => slot <= upTo)
    .toSorted((one, other) => Number(one.slot - other.slot))
  const places = [...new Map(ordered.map((place) => [place.signature, place])).values()]
  const deposits: Array<Deposit> = []
  let last: bigint | undefined
  // A few at a time: anyone can name the vault in any number of transactions. These must not flood the node, and an
  // honest deposit must not wait for them one after the other.
  for (let next = 0; next < places.length; next += AT_ONCE) {
    const some = places.slice(next, next + AT_ONCE)
    const read = await Promise.all(some.map((place) => completed.depositsIn(client, chain, place)))
    for (const [index, { slot }] of some.entries()) {
      if (last !== undefined && deposits.length >= MANY && last > cursor && last < slot) {
        const { hash, height } = await blockAt(client, last)
        return { deposits: deposits.toSorted(inOrder), early: { height, hash } }
      }
      last = slot
      deposits.push(...(read[index] ?? []))
    }
  }
  if (upTo === to) return { deposits: deposits.toSorted(inOrder) }
  if (last === undefined || last <= cursor) throw new NodeIsBehind()
  const { hash, height } = await blockAt(client, last)
  return { deposits: deposits.toSorted(inOrder), early: { height, hash } }
}

/** Not beyond the final slot. */
const scanUpTo = async (
  completed: Completed,
  client: SolanaClient,
  chain: Chain,
  cursor: Cursor,
  final: Cursor
): Promise<FinalScan> => {
  const [known, last] = await Promise.all([hashAt(client, cursor.height), hashAt(client, final.height)])
  if (last !== final.hash) throw new NodeIsBehind()
  const rewound = cursor.height > REWIND_SLOTS ? cursor.height - REWIND_SLOTS : 0n
  const settled = cursor.height > SETTLED_SLOTS ? cursor.height + 1n - SETTLED_SLOTS : 0n
  const from = known === cursor.hash ? settled : rewound
  const { deposits, early = final } = await depositsFrom(completed, client, chain, from, cursor.height, final.height)
  return { cursor: early, deposits }
}

const signatureOf = (transactionId: TransactionId): Signature => {
  if (!isSignature(transactionId)) throw new Error("a deposit of a Solana chain has no signature")
  return transactionId
}

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* SolanaRpc
    const completed = new Completed()

    const head = (chain: Chain) => rpc.call(chain, "head", (client) => newest(client, "confirmed"))

    const heads = (chain: Chain, by: ReadBy): Effect.Effect<Heads, ChainUnavailable> =>
      readHeads(rpc, chain, by, async (client) => {
        const [{ hash, height }, finalHeight] = await Promise.all([
          newest(client, "confirmed"),
          client.getSlot({ commitment: "finalized" }).send()
        ])
        return { height, hash, finalHeight }
      })

    const scan = (chain: Chain, cursor: Cursor): Effect.Effect<Scan, ChainUnavailable> =>
      rpc.call(chain, "deposit scan", async (client): Promise<Scan> => {
        const [latest, known] = await Promise.all([newest(client, "confirmed"), hashAt(client, cursor.height)])
        const unchanged = known === cursor.hash
        // The node is behind the cursor and has no answer: the cursor stays until the node has caught up.
        if (latest.height <= cursor.height && (unchanged || known === undefined)) {
          return { cursor, head: latest, deposits: [] }
        }
        if (!unchanged) completed.forget()
        const back = unchanged ? OVERLAP_SLOTS : REWIND_SLOTS
        const from = cursor.height > back ? cursor.height - back : 0n
        const { deposits, early = { height: latest.height, hash: latest.hash } } = await depositsFrom(
          completed,
          client,
          chain,
          from,
          cursor.height,
          latest.height
        )
        return { cursor: early, head: latest, deposits }
      }).pipe(Effect.flatMap((scanned) => completed.withUnread(chain, scanned)))

    const look = (chain: Chain, transactionId: TransactionId) =>
      rpc.call(chain, "deposits of a transaction", (client) => depositsIn(client, chain, signatureOf(transactionId)))

    const standingOf = async (client: SolanaClient, chain: Chain, deposit: Deposit): Promise<Standing> => {
      // The final slot before the transaction: what it holds was there, or a later answer says so.
      const [finalSlot, latest] = await Promise.all([
        client.getSlot({ commitment: "finalized" }).send(),
        client.getSlot({ commitment: "confirmed" }).send()
      ])
      const signature = signatureOf(deposit.transactionId)
      const deposits = await depositsIn(client, chain, signature)
      if (deposits === undefined) {
        await assertNotIn(client, deposit.block, signature)
        return { _tag: "Gone" }
      }
      const found = deposits.find(({ onchainId }) => onchainId === deposit.onchainId)
      if (found === undefined) return { _tag: "Gone" }
      const { block } = found
      const depth = latest >= block.height ? Number(latest - block.height) + 1 : 1
      return { _tag: "Included", block, confirmations: depth, final: block.height <= finalSlot, deposits }
    }

    const standing = (chain: Chain, deposit: Deposit, by: ReadBy) =>
      rpc.witnessed(chain, depositRead((client) => standingOf(client, chain, deposit)), by)

    const finality = (chain: Chain, remembered: Cursor | undefined, asked?: FinalityAsked) =>
      readFinality(rpc, chain, remembered, asked, async (client, height) => {
        const [final, found] = await Promise.all([
          newest(client, "finalized"),
          height === undefined ? undefined : hashAt(client, height)
        ])
        return { found, newest: { height: final.height, hash: final.hash } }
      })

    return DepositWatcher.of({
      head,
      heads,
      scan,
      scanFinal: (chain, from, final) =>
        Effect.flatMap(
          scanFinal(rpc, chain, final, (client) => scanUpTo(completed, client, chain, from, final)),
          (scanned) => completed.withUnread(chain, scanned)
        ),
      look,
      finality,
      standing
    })
  })
)
