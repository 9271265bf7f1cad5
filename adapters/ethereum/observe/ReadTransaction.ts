/**
 * One transaction as one endpoint shows it, with the heads to judge it by: two round trips, four reads (EVIDENCE-2,
 * QUORUM-1).
 *
 * Reads the heads, the transaction and its receipt in one batch. Then reads the chain's block at that height, whose
 * hash must be the receipt's. An endpoint that contradicts itself, or is on another chain, has no vote.
 */
import { Effect, Result } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { depositsOf } from "../../../src/domain/families/ethereum/evidence/Deposits.ts"
import { withdrawalsOf } from "../../../src/domain/families/ethereum/evidence/ExecutedWithdrawals.ts"
import type { EvmTransaction } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { orderIdsOf, paymentsOf, routerCallsOf } from "../../../src/domain/families/ethereum/evidence/Payments.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { TransactionEvidence } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { EndpointReading } from "../../../src/domain/quorum/AgreeSoFar.ts"
import { decodeBlock, decodeChainId, decodeReceipt, decodeTransaction } from "../decode/DecodeByHand.ts"
import type { RawBlock, RawTransaction } from "../decode/NodeAnswers.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isReceiptOf } from "../../quorum/rpc/EvmReceipt.ts"
import type { RawReceipt } from "../../quorum/rpc/EvmReceipt.ts"
import type { JsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"

const fault = <A>(kind: ReadFault): Result.Result<A, ReadFault> => Result.fail(kind)

const blockAt = (height: string): RpcCall => ({ method: "eth_getBlockByNumber", params: [height, false] })

/** The final block on chains with tags. Otherwise the newest block, from which depth counts. */
const headCall = ({ finality }: Chain): RpcCall => blockAt(finality._tag === "Tag" ? finality.tag : "latest")

const headsOf = ({ finality }: Chain, head: RawBlock): Heads => {
  const final = finality._tag === "Tag" ? head.number : head.number - BigInt(finality.blocks)
  return { finalHeight: final < 0n ? -1n : final, head: { height: head.number, time: head.timestamp } }
}

/** The newest block matters only when the transaction is not final: evidence then gives the number of confirmations. */
const wantsNewest = ({ finality }: Chain, heads: Heads, height: bigint): boolean =>
  finality._tag === "Tag" && height > heads.finalHeight

const evmTransaction = ({ from, input, to, value }: RawTransaction, { logs, status }: RawReceipt): EvmTransaction => ({
  from,
  to: to ?? undefined,
  input,
  value,
  logs: status === "0x1" ? logs : []
})

type Facts = Pick<TransactionEvidence, "deposits" | "orderIds" | "outcome" | "payments" | "routerCalls" | "withdrawals">

/** A failed transaction moved nothing, its value included. */
const factsOf = (chain: Chain, transaction: RawTransaction, receipt: RawReceipt): Facts => {
  if (receipt.status !== "0x1") {
    return { outcome: "reverted", deposits: [], payments: [], orderIds: [], routerCalls: [], withdrawals: [] }
  }
  const shown = evmTransaction(transaction, receipt)
  return {
    outcome: "succeeded",
    deposits: depositsOf(shown, chain.depository),
    payments: paymentsOf(shown, chain),
    orderIds: orderIdsOf(shown),
    routerCalls: routerCallsOf(shown, chain),
    withdrawals: withdrawalsOf(shown, chain.depository)
  }
}

const isOneTransaction = (id: TransactionId, transaction: RawTransaction, receipt: RawReceipt): boolean =>
  String(transaction.hash) === String(id) && isReceiptOf(id, receipt)

/**
 * What the transaction shows, its place according to the endpoint, and the heads. No facts for a transaction that is in
 * no block.
 */
interface Shown {
  readonly heads: Heads
  readonly at?: { readonly facts: Facts; readonly hash: string; readonly height: bigint }
}

interface How {
  readonly deadline: number
  readonly verify: boolean
}

/**
 * Keeps only the facts of the raw answers: a receipt can be a hundred times as large, and its block is still to be
 * read.
 */
const shownIn = (
  [head, sent, received, chainId]: ReadonlyArray<unknown>,
  chain: Chain,
  id: TransactionId,
  verify: boolean
): Result.Result<Shown, ReadFault> => {
  if (verify) {
    const number = decodeChainId(chainId)
    if (number === undefined) return fault("undecodable")
    if (number !== BigInt(chain.id)) return fault("wrong-chain")
  }
  const block = decodeBlock(head)
  const transaction = decodeTransaction(sent)
  const receipt = decodeReceipt(received)
  if (block === undefined || transaction === undefined || receipt === undefined) return fault("undecodable")
  const heads = headsOf(chain, block)
  if (transaction === null || receipt === null) return Result.succeed({ heads })
  if (!isOneTransaction(id, transaction, receipt)) return fault("contradiction")
  return Result.succeed({
    heads,
    at: { facts: factsOf(chain, transaction, receipt), hash: receipt.blockHash, height: receipt.blockNumber }
  })
}

/** The reading, once the chain's block at the receipt's height is known. */
const readingIn = (
  [canonical, newest]: ReadonlyArray<unknown>,
  chain: Chain,
  transactionId: TransactionId,
  seen: Heads,
  at: NonNullable<Shown["at"]>
): Result.Result<EndpointReading, ReadFault> => {
  const found = decodeBlock(canonical)
  if (found === undefined) return fault("undecodable")
  const { hash, number, timestamp } = found
  if (hash !== at.hash || number !== at.height) return fault("contradiction")
  const latest = newest === undefined ? undefined : decodeBlock(newest)
  if (newest !== undefined && latest === undefined) return fault("undecodable")
  const block = { height: number, hash, time: timestamp }
  return Result.succeed({
    heads: latest === undefined ? seen : { ...seen, head: { height: latest.number, time: latest.timestamp } },
    observedAt: (heads) => ({
      _tag: "Transaction",
      chain: chain.slug,
      transactionId,
      block,
      finality: finalityOf(chain.finality, block, heads),
      ...at.facts
    })
  })
}

/** `verify` also asks for the chain's id: the endpoint may have moved to another chain since the last check. */
export const readTransaction = (
  rpc: JsonRpc,
  chain: Chain,
  transactionId: TransactionId,
  { deadline, verify }: How
): Effect.Effect<EndpointReading, ReadFault> => {
  const asked: ReadonlyArray<RpcCall> = [
    headCall(chain),
    { method: "eth_getTransactionByHash", params: [transactionId] },
    { method: "eth_getTransactionReceipt", params: [transactionId] },
    ...(verify ? [{ method: "eth_chainId", params: [] }] : [])
  ]
  return Effect.flatMap(rpc.batch(asked, deadline), (said) => {
    const shown = shownIn(said, chain, transactionId, verify)
    if (Result.isFailure(shown)) return Effect.fail(shown.failure)
    const { at, heads: seen } = shown.success
    if (at === undefined) {
      return Effect.succeed<EndpointReading>({
        heads: seen,
        observedAt: () => ({ _tag: "Absent", chain: chain.slug, transactionId })
      })
    }
    const more = wantsNewest(chain, seen, at.height) ? [blockAt("latest")] : []
    return Effect.flatMap(
      rpc.batch([blockAt(`0x${at.height.toString(16)}`), ...more], deadline),
      (blocks) => Effect.fromResult(readingIn(blocks, chain, transactionId, seen, at))
    )
  })
}
