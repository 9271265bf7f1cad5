/**
 * Payments that users make themselves on a Tron chain (TRON-2): TRX with the order's id as memo, tokens with it behind
 * the arguments. A memo is in no log, so while a payment is awaited, whole blocks are read, one after the other.
 *
 * Payments are decoded as the oracle decodes them. A reorg shows as a parent that is not the cursor's block.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer, Result, Schema } from "effect"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { StandingPayment } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { evmCall, tronFacts } from "../../../src/domain/families/tron/evidence/Evidence.ts"
import { readTronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { orderNamedBy } from "../../../src/domain/transfer/payment/UserPayment.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { directPaymentRead } from "../../endpoints/DirectPaymentRead.ts"
import { isNothing, RawBlock } from "../decode/NodeAnswers.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronClient, TronFault, TronRead } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { assertNotIn, assertSolid, readHashAt, readHeads } from "./Blocks.ts"
import type { ReadHeads } from "./Blocks.ts"
import { inBase58 } from "./Deposits.ts"
import { readInBlock } from "./InBlock.ts"
import type { InBlock } from "./InBlock.ts"
import { Remembered } from "./Remembered.ts"
import type { Place } from "./Remembered.ts"

/** The most blocks of one scan: a block may have a megabyte. */
const MAX_BLOCKS = 20n

/** A scan ends early, at the end of a block, after this many payments: each takes three requests. */
const MANY = 200

type Payments = Remembered<ReadonlyArray<UserPayment>>

/** How far a scan goes back when the cursor's block has vanished: further than solidified blocks are behind. */
const REWIND_BLOCKS = 64n

/** Undefined when it names no order. */
const paymentIn = (chain: Chain, id: TransactionId, shown: InBlock): UserPayment | undefined => {
  const { block, logs, succeeded, transaction } = shown
  const call = evmCall(transaction, logs)
  const order = orderNamedBy(chain, call)
  const { owner } = transaction
  return order === undefined || owner === undefined ? undefined : {
    orderId: OrderId.make(order),
    transactionId: id,
    block,
    from: inBase58(owner),
    calls: [{ to: call.to === undefined ? undefined : inBase58(call.to), data: call.input, value: call.value }],
    succeeded,
    payments: succeeded ? tronFacts(transaction, logs, chain).payments : []
  }
}

const readPayment = (node: TronNode, chain: Chain, id: TransactionId, deadline: number) =>
  Effect.map(
    readInBlock(node, id, deadline),
    (shown) => shown === undefined ? undefined : paymentIn(chain, id, shown)
  )

/** `again`: it was in this block, and is gone only when the chain no longer holds it there. */
const look = (chain: Chain, id: TransactionId, again?: BlockRef): TronRead<StandingPayment | undefined> =>
  Effect.fnUntraced(function*(node, deadline) {
    const heads = yield* readHeads(node, chain, deadline)
    const payment = yield* readPayment(node, chain, id, deadline)
    if (payment === undefined) {
      if (again !== undefined) yield* assertNotIn(node, heads, again, id, deadline)
      return undefined
    }
    yield* assertSolid(node, heads, payment.block, deadline)
    const { finalHeight, head } = heads
    const at = payment.block.height
    return { payment, confirmations: head.height >= at ? Number(head.height - at) + 1 : 1, final: at <= finalHeight }
  })

const decodeBlock = Schema.decodeUnknownEffect(RawBlock)

/** Whether the bytes name an order. The transaction is then read by its id. */
const namesOrder = (chain: Chain, rawData: string): boolean => {
  const transaction = readTronTransaction(hexToBytes(rawData))
  return transaction !== undefined && orderNamedBy(chain, evmCall(transaction, [])) !== undefined
}

interface BlockPayments {
  readonly hash: string
  readonly parent: string
  readonly payments: ReadonlyArray<UserPayment>
}

/** A node that has the block and not yet its receipts would hide a payment. */
const readPlace = (node: TronNode, chain: Chain, { hash, id }: Place, deadline: number) =>
  Effect.flatMap(
    readInBlock(node, id, deadline),
    (shown): Effect.Effect<ReadonlyArray<UserPayment>, TronFault> => {
      if (shown?.block.hash !== hash) return Effect.fail("behind")
      const payment = paymentIn(chain, id, shown)
      return Effect.succeed(payment === undefined ? [] : [payment])
    }
  )

const readBlock = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    remembered: Payments,
    height: bigint,
    deadline: number
  ): Effect.fn.Return<BlockPayments, TronFault> {
    const told = yield* node.wallet("getblock", { id_or_num: height.toString(), detail: true }, deadline)
    if (isNothing(told)) return yield* Effect.fail("behind" as const)
    const { block_header: { raw_data: { parentHash } }, blockID, transactions = [] } = yield* undecodable(
      decodeBlock(told)
    )
    const places = transactions.flatMap(({ raw_data_hex, txID }): ReadonlyArray<Place> => {
      const id = parseTransactionId(chain.family, txID)
      return Result.isSuccess(id) && namesOrder(chain, raw_data_hex) ? [{ id: id.success, height, hash: blockID }] : []
    })
    const payments = yield* remembered.all(node, places, (place) => readPlace(node, chain, place, deadline))
    return { hash: blockID, parent: parentHash, payments: payments.flat() }
  }
)

/** The block from which a scan begins again. */
const rewind = Effect.fnUntraced(
  function*(
    node: TronNode,
    heads: ReadHeads,
    { height }: Cursor,
    deadline: number
  ): Effect.fn.Return<Cursor, TronFault> {
    const at = height > REWIND_BLOCKS ? height - REWIND_BLOCKS : 0n
    const hash = yield* readHashAt(node, heads, at, deadline)
    return hash === undefined ? yield* Effect.fail("behind" as const) : { height: at, hash }
  }
)

const scan = (
  chain: Chain,
  remembered: Payments,
  from: Cursor
): TronRead<{ cursor: Cursor; payments: ReadonlyArray<UserPayment> }> =>
  Effect.fnUntraced(function*(node, deadline) {
    const heads = yield* readHeads(node, chain, deadline)
    const payments: Array<UserPayment> = []
    let cursor = from
    while (
      cursor.height < heads.head.height && cursor.height < from.height + MAX_BLOCKS && payments.length < MANY
    ) {
      const block = yield* readBlock(node, chain, remembered, cursor.height + 1n, deadline)
      if (block.parent !== cursor.hash) return { cursor: yield* rewind(node, heads, from, deadline), payments }
      payments.push(...block.payments)
      cursor = { height: cursor.height + 1n, hash: block.hash }
    }
    return { cursor, payments }
  })

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const remembered: Payments = new Remembered()
    const read = <A>(chain: Chain, operation: string, of: TronRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    return DirectPaymentWatcher.of({
      scan: (chain, from) => read(chain, "scan for sends", scan(chain, remembered, from)),
      look: (chain, id) => read(chain, "a send", look(chain, id)),
      lookAgain: (chain, id, block, by) =>
        rpc.witnessed(chain, directPaymentRead((client: TronClient) => client.read(look(chain, id, block))), by)
    })
  })
)
