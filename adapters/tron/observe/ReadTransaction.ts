/**
 * One transaction as one Tron node shows it, with the heads to judge it by (TRON-1, QUORUM-1).
 *
 * Reads the transaction (`raw_data`, which must hash to its id), its receipt and the newest solidified block at once.
 * Then reads the chain's block at that height, which must be the receipt's. A node that contradicts itself has no vote.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import { tronFacts } from "../../../src/domain/families/tron/evidence/Evidence.ts"
import { readTronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import type { TronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isReceiptOf, RawReceipt } from "../../quorum/rpc/EvmReceipt.ts"
import { bytesOfHex, isNothing, RawTransaction } from "../decode/NodeAnswers.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { assertOn, blockAt, newest, newestSolid, undecodable } from "./ReadPlace.ts"

const decodeTransaction = Schema.decodeUnknownEffect(RawTransaction)
const decodeReceipt = Schema.decodeUnknownEffect(Schema.NullOr(RawReceipt))

export const sentTransaction = Effect.fnUntraced(
  function*(
    { wallet }: TronNode,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<RawTransaction | undefined, ReadFault> {
    const answer = yield* wallet("gettransactionbyid", { value: id }, deadline)
    return isNothing(answer) ? undefined : yield* undecodable(decodeTransaction(answer))
  }
)

export const receiptOf = Effect.fnUntraced(
  function*(
    { jsonRpc }: TronNode,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<RawReceipt | undefined, ReadFault> {
    const [answer] = yield* jsonRpc([{ method: "eth_getTransactionReceipt", params: [`0x${id}`] }], deadline)
    return (yield* undecodable(decodeReceipt(answer))) ?? undefined
  }
)

/** SECURITY: bytes that do not hash to the id belong to another transaction. */
export const decodedAs = (
  id: TransactionId,
  { raw_data_hex }: RawTransaction
): Effect.Effect<TronTransaction, ReadFault> => {
  const transaction = readTronTransaction(bytesOfHex(raw_data_hex))
  if (transaction === undefined) return Effect.fail("undecodable")
  return transaction.id === String(id) ? Effect.succeed(transaction) : Effect.fail("contradiction")
}

/** Undefined when the node's two interfaces disagree about a transaction. */
export const hasSucceeded = ({ ret }: RawTransaction, { status }: RawReceipt): boolean | undefined => {
  const succeeded = status === "0x1"
  const told = ret?.[0]?.contractRet
  return told === undefined || (told === "SUCCESS") === succeeded ? succeeded : undefined
}

/** Reads the final block first. The newest block matters only for blocks that are not final, and for depth rules. */
const headsOf = Effect.fnUntraced(
  function*(node: TronNode, { finality }: Chain, deadline: number): Effect.fn.Return<Heads, ReadFault> {
    const { height, time } = yield* (finality._tag === "Tag" ? newestSolid : newest)(node, deadline)
    const final = finality._tag === "Tag" ? height : height - BigInt(finality.blocks)
    return { finalHeight: final < 0n ? -1n : final, head: { height, time } }
  }
)

const nothing = { deposits: [], payments: [], orderIds: [], routerCalls: [], withdrawals: [] } as const

interface Shown {
  readonly transaction: TronTransaction
  readonly receipt: RawReceipt
  readonly succeeded: boolean
  readonly block: BlockRef
}

/** A failed transaction moved nothing, its value included. */
const observed = (chain: Chain, transactionId: TransactionId, { block, receipt, succeeded, transaction }: Shown) => {
  const facts = succeeded ? tronFacts(transaction, receipt.logs, chain) : nothing
  return (heads: Heads): Observation => ({
    _tag: "Transaction",
    chain: chain.slug,
    transactionId,
    outcome: succeeded ? "succeeded" : "reverted",
    block,
    finality: finalityOf(chain.finality, block, heads),
    ...facts
  })
}

/** `verify` also asks for the chain's identity: the endpoint may have moved to another chain since the last check. */
export const readTransaction: FamilyReader<TronNode>["read"] = Effect.fnUntraced(
  function*(node, chain, id, { deadline, verify }) {
    const [heads, sent, receipt] = yield* Effect.all(
      [
        headsOf(node, chain, deadline),
        sentTransaction(node, id, deadline),
        receiptOf(node, id, deadline),
        verify ? assertOn(node, chain, deadline) : Effect.void
      ],
      { concurrency: "unbounded" }
    )
    // A transaction that is in no block has no receipt.
    if (receipt === undefined) {
      return { heads, observedAt: (): Observation => ({ _tag: "Absent", chain: chain.slug, transactionId: id }) }
    }
    if (sent === undefined || !isReceiptOf(`0x${id}`, receipt)) return yield* Effect.fail("contradiction" as const)
    const transaction = yield* decodedAs(id, sent)
    const succeeded = hasSucceeded(sent, receipt)
    const isUnsettled = chain.finality._tag === "Tag" && receipt.blockNumber > heads.finalHeight
    const [block, latest] = yield* Effect.all(
      [blockAt(node, receipt.blockNumber, deadline), isUnsettled ? newest(node, deadline) : Effect.succeed(undefined)],
      { concurrency: "unbounded" }
    )
    if (succeeded === undefined || `0x${block.hash}` !== receipt.blockHash) {
      return yield* Effect.fail("contradiction" as const)
    }
    return {
      heads: latest === undefined ? heads : { ...heads, head: { height: latest.height, time: latest.time } },
      observedAt: observed(chain, id, { transaction, receipt, succeeded, block })
    }
  }
)
