/**
 * What the wanted transactions of one block show. Each is read with what it spends, many in one request as far as the
 * node says that. Anybody can put thousands of them into one block, so what was read is kept under the block's hash,
 * for a scan that has to begin again: what a block holds never changes.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { SpendingTransaction } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { readHeader } from "../observe/ReadPlace.ts"
import { readSpent } from "../observe/ReadSpent.ts"
import type { BitcoinFault } from "../rpc/BitcoinRpc.ts"
import { resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readWanted } from "./Blocks.ts"

const TRANSACTIONS_AT_ONCE = 200

const rawOf = resultOrNone(RawTransaction)

/** For what blocks that were read before a scan failed hold: the next one goes on where it ended. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024

/** What was found, by endpoint and by the hash of a block. */
export class Remembered<A> {
  private readonly clients = new ClientNames<CoreRpc>()
  private readonly known = new ByteBoundedCache<ReadonlyArray<A>>(MAX_REMEMBERED_BYTES)

  private keyOf(rpc: CoreRpc, part: string): string {
    return `${this.clients.nameOf(rpc)}:${part}`
  }

  find(rpc: CoreRpc, part: string): ReadonlyArray<A> | undefined {
    return this.known.find(this.keyOf(rpc, part))
  }

  keep(rpc: CoreRpc, part: string, found: ReadonlyArray<A>): void {
    this.known.keep(this.keyOf(rpc, part), found)
  }
}

export interface Finding<A> {
  /** By the script of an output. */
  readonly isWanted: (script: Uint8Array) => boolean
  readonly find: (transaction: SpendingTransaction, block: BlockRef) => ReadonlyArray<A>
  readonly remembered: Remembered<A>
}

const readSpending = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    transactions: ReadonlyArray<BtcTransaction>,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<SpendingTransaction>, BitcoinFault> {
    const answers = yield* rpc.answers(transactions.map(({ id }) => transactionCall(id, 2)), deadline)
    const found: Array<SpendingTransaction> = []
    for (const [at, transaction] of transactions.entries()) {
      const raw = yield* rawOf(answers[at])
      // The block has it. A node that does not know it yet has not indexed the block.
      if (raw === undefined) return yield* Effect.fail("behind" as const)
      found.push({ ...transaction, spent: yield* readSpent(rpc, transaction, raw, deadline) })
    }
    return found
  }
)

/** In the block's order. */
export const findInBlock = <A>({ id }: Chain, { find, isWanted, remembered }: Finding<A>) =>
  Effect.fnUntraced(function*(
    rpc: CoreRpc,
    hash: string,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<A>, BitcoinFault> {
    const wanted = yield* readWanted(rpc, hash, isWanted, deadline)
    if (wanted.length === 0) return []
    const block = yield* readHeader(rpc, hash, deadline)
    const found: Array<A> = []
    for (let from = 0; from < wanted.length; from += TRANSACTIONS_AT_ONCE) {
      const key = `${id}:${hash}:${from}`
      const some = wanted.slice(from, from + TRANSACTIONS_AT_ONCE)
      const known = remembered.find(rpc, key)
      const read = known ?? (yield* readSpending(rpc, some, deadline)).flatMap((each) => find(each, block))
      if (known === undefined) remembered.keep(rpc, key, read)
      found.push(...read)
    }
    return found
  })
