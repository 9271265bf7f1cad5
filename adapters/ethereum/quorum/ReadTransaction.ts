/**
 * One transaction as one endpoint shows it, with the heads to judge it by: two round trips, four reads (spec/4 §6, §8).
 *
 * First the heads, the transaction and its receipt in one batch; then the block that the chain has at that height, whose
 * hash must be the receipt's. An endpoint that contradicts itself, or is on another chain, has no voice.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { depositsOf } from "../../../src/domain/evidence/evm/Deposits.ts"
import { withdrawalsOf } from "../../../src/domain/evidence/evm/ExecutedWithdrawals.ts"
import type { EvmTransaction } from "../../../src/domain/evidence/evm/EvmTransaction.ts"
import { orderIdsOf, paymentsOf, routerCallsOf } from "../../../src/domain/evidence/evm/Payments.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { EndpointReading } from "../../../src/domain/quorum/AgreeSoFar.ts"
import { RawBlock, RawTransaction } from "../decode/NodeAnswers.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { isReceiptOf, Quantity, RawReceipt } from "../../quorum/rpc/EvmReceipt.ts"
import type { JsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"

const decodeQuantity = Schema.decodeUnknownEffect(Quantity)
const decodeBlock = Schema.decodeUnknownEffect(RawBlock)
const decodeTransaction = Schema.decodeUnknownEffect(Schema.NullOr(RawTransaction))
const decodeReceipt = Schema.decodeUnknownEffect(Schema.NullOr(RawReceipt))

const undecodable = Effect.mapError((): ReadFault => "undecodable")

const blockAt = (height: string): RpcCall => ({ method: "eth_getBlockByNumber", params: [height, false] })

/** Where the chain has tags, the final block; else the newest, from which depth counts. */
const headCall = ({ finality }: Chain): RpcCall => blockAt(finality._tag === "Tag" ? finality.tag : "latest")

const headsOf = ({ finality }: Chain, head: RawBlock): Heads => {
  const final = finality._tag === "Tag" ? head.number : head.number - BigInt(finality.blocks)
  return { finalHeight: final < 0n ? -1n : final, head: { height: head.number, time: head.timestamp } }
}

/** Only for what is not final the newest block matters: how many confirmations there are is told then. */
const wantsNewest = ({ finality }: Chain, heads: Heads, height: bigint): boolean => finality._tag === "Tag" && height > heads.finalHeight

const evmTransaction = ({ from, input, to, value }: RawTransaction, { logs, status }: RawReceipt): EvmTransaction => ({
  from,
  to: to ?? undefined,
  input,
  value,
  logs: status === "0x1" ? logs : []
})

const observed = (chain: Chain, transactionId: TransactionId, transaction: RawTransaction, receipt: RawReceipt, block: RawBlock) => {
  const shown = evmTransaction(transaction, receipt)
  const succeeded = receipt.status === "0x1"
  const at = { height: block.number, hash: block.hash, time: block.timestamp }
  return (heads: Heads): Observation => ({
    _tag: "Transaction",
    chain: chain.slug,
    transactionId,
    outcome: succeeded ? "succeeded" : "reverted",
    block: at,
    finality: finalityOf(chain.finality, at, heads),
    // A failed transaction moved nothing, its value included.
    deposits: succeeded ? depositsOf(shown, chain.depository) : [],
    payments: succeeded ? paymentsOf(shown, chain.depository) : [],
    orderIds: succeeded ? orderIdsOf(shown) : [],
    routerCalls: succeeded ? routerCallsOf(shown) : [],
    withdrawals: succeeded ? withdrawalsOf(shown, chain.depository) : []
  })
}

const isOneTransaction = (id: TransactionId, transaction: RawTransaction, receipt: RawReceipt): boolean =>
  String(transaction.hash) === String(id) && isReceiptOf(id, receipt)

/** `verify` asks for the chain's id as well: an endpoint may have become another's since it was asked last. */
export const readTransaction = Effect.fnUntraced(function*(
  rpc: JsonRpc,
  chain: Chain,
  id: TransactionId,
  { deadline, verify }: { readonly deadline: number; readonly verify: boolean }
): Effect.fn.Return<EndpointReading, ReadFault> {
  const asked: ReadonlyArray<RpcCall> = [
    headCall(chain),
    { method: "eth_getTransactionByHash", params: [id] },
    { method: "eth_getTransactionReceipt", params: [id] },
    ...(verify ? [{ method: "eth_chainId", params: [] }] : [])
  ]
  const [head, sent, received, chainId] = yield* rpc.batch(asked, deadline)
  if (verify && (yield* undecodable(decodeQuantity(chainId))) !== BigInt(chain.id)) return yield* Effect.fail("wrong-chain" as const)
  const seen = headsOf(chain, yield* undecodable(decodeBlock(head)))
  const transaction = yield* undecodable(decodeTransaction(sent))
  const receipt = yield* undecodable(decodeReceipt(received))
  if (transaction === null || receipt === null) {
    return { heads: seen, observedAt: () => ({ _tag: "Absent", chain: chain.slug, transactionId: id }) }
  }
  if (!isOneTransaction(id, transaction, receipt)) return yield* Effect.fail("contradiction" as const)
  const more = wantsNewest(chain, seen, receipt.blockNumber) ? [blockAt("latest")] : []
  const [canonical, newest] = yield* rpc.batch([blockAt(`0x${receipt.blockNumber.toString(16)}`), ...more], deadline)
  const block = yield* undecodable(decodeBlock(canonical))
  if (block.hash !== receipt.blockHash || block.number !== receipt.blockNumber) return yield* Effect.fail("contradiction" as const)
  const latest = newest === undefined ? undefined : yield* undecodable(decodeBlock(newest))
  const heads = latest === undefined ? seen : { ...seen, head: { height: latest.number, time: latest.timestamp } }
  return { heads, observedAt: observed(chain, id, transaction, receipt, block) }
})
