/**
 * What an account of exchange A has sent in a millisecond that fills a page of its ledger, from the explorer's blocks
 * (EXCHANGEA-35). A ledger cannot be asked for less than a millisecond, and a stranger fills one with 500 transfers.
 *
 * SECURITY: what is missing here proves that a payment was not executed. So it takes every block of that millisecond,
 * with the block before and the block after, which are of other times; each must have as many transactions as it says.
 * An explorer that does not know one of them yet fails the reading. All entries that the ledger does show must be in
 * these blocks.
 */
import { Effect, Schema } from "effect"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { LedgerEntry } from "../../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { BlockAnswer, isInBlock, RawTransaction, TransactionAnswer } from "../../decode/NodeAnswers.ts"
import { undecodable } from "../../observe/ReadTime.ts"
import type { ExchangeAClient } from "../../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../../rpc/ExchangeARpc.ts"
import type { LedgerPage } from "./LedgerPage.ts"
import { entryOf, withFee } from "./OwnTransactions.ts"

const decodeTransaction = Schema.decodeUnknownEffect(TransactionAnswer)
const decodeBlock = Schema.decodeUnknownEffect(BlockAnswer)
const decodeOwn = Schema.decodeUnknownEffect(RawTransaction)

/** The exchange makes a block in some 70 ms. */
const MOST_BLOCKS = 8

type Block = Extract<typeof BlockAnswer.Type, { readonly type: "blockDetails" }>["blockDetails"]

const contradiction = Effect.fail("contradiction" as const)

const readBlock = Effect.fnUntraced(
  function*(client: ExchangeAClient, height: number, deadline: number): Effect.fn.Return<Block, ExchangeAFault> {
    const answer = yield* undecodable(decodeBlock(yield* client.block(height, deadline)))
    if (answer.type === "error") return yield* Effect.fail("behind" as const)
    const { blockDetails: block } = answer
    return block.height === height && block.numTxs === block.txs.length ? block : yield* contradiction
  }
)

/** The blocks of that time in one direction, without the first. It ends at a block of another time. */
const readBeside = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    first: Block,
    step: -1 | 1,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Block>, ExchangeAFault> {
    const found: Array<Block> = []
    while (found.length < MOST_BLOCKS) {
      const next = yield* readBlock(client, first.height + step * (found.length + 1), deadline)
      if ((next.blockTime - first.blockTime) * step > 0) return found
      if (next.blockTime !== first.blockTime) return yield* contradiction
      found.push(next)
    }
    return yield* Effect.fail("behind" as const)
  }
)

/** `page`: a full one, all of that millisecond. */
export const readMoment = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { page, time }: { readonly page: LedgerPage; readonly time: bigint },
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<LedgerEntry>, ExchangeAFault> {
    const sample = yield* undecodable(decodeTransaction(yield* client.transaction(page.hashes[0] ?? "", deadline)))
    if (sample.type === "error") return yield* Effect.fail("behind" as const)
    const first = yield* readBlock(client, sample.tx.block, deadline)
    if (sample.tx.time !== Number(time) || first.blockTime !== Number(time)) return yield* contradiction
    const blocks = [
      first,
      ...yield* readBeside(client, first, -1, deadline),
      ...yield* readBeside(client, first, 1, deadline)
    ]
    const all = blocks.flatMap(({ txs }) => txs)
    if (!all.every(isInBlock)) return yield* Effect.fail("undecodable" as const)
    const known = new Set(all.map(({ hash }) => hash.toLowerCase()))
    if (!page.hashes.every((hash) => known.has(hash))) return yield* contradiction
    const own = yield* Effect.forEach(
      all.filter(({ user }) => user.toLowerCase() === account),
      (tx) => undecodable(decodeOwn(tx))
    )
    if (own.some((tx) => tx.time !== Number(time))) return yield* contradiction
    const entries = own.map(entryOf).filter((entry) => entry !== undefined)
    return yield* Effect.forEach(entries, (entry) => {
      const shown = page.sent.find(({ hash }) => hash === entry.hash)
      return shown === undefined ? withFee(client, account, entry, deadline) : Effect.succeed(shown)
    })
  }
)
