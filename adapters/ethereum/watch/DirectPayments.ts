/**
 * Payments and swaps that users make themselves on an EVM chain. While one is awaited, whole blocks are read, one after
 * the other.
 *
 * Payments are decoded as the oracle decodes them. A reorg shows as a parent that is not the cursor's block.
 */
import { Effect, Layer, Result } from "effect"
import type { PublicClient } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { StandingPayment } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { paymentsOf } from "../../../src/domain/families/ethereum/evidence/Payments.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { orderNamedBy } from "../../../src/domain/transfer/payment/UserPayment.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { evmTransaction } from "../decode/EvmTransaction.ts"
import type { Steps } from "../../endpoints/AskEndpoint.ts"
import { directPaymentRead } from "../../endpoints/DirectPaymentRead.ts"
import { EthereumRpc, NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { readHeads } from "../observe/Finality.ts"
import { assertNotIn, standingReceipt } from "../observe/Receipt.ts"
import { viemHex } from "../rpc/ViemHex.ts"

/** The most blocks of one scan. */
const MAX_BLOCKS = 50n

/** How far a scan goes back when the cursor's block has vanished. */
const REWIND_BLOCKS = 64n

/** What a transaction in the canonical chain has paid or called. Undefined when it names no order. */
const paymentIn = async (
  client: PublicClient,
  chain: Chain,
  transactionId: TransactionId
): Promise<UserPayment | undefined> => {
  const hash = viemHex(transactionId)
  const standing = await standingReceipt(client, hash)
  if (standing === undefined) return undefined
  const succeeded = standing.receipt.status === "success"
  const transaction = evmTransaction(await client.getTransaction({ hash }), standing.receipt)
  const id = orderNamedBy(chain, transaction)
  const { receipt, time } = standing
  return id === undefined ? undefined : {
    orderId: OrderId.make(id),
    transactionId,
    block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
    from: transaction.from,
    calls: [{ to: transaction.to, data: transaction.input, value: transaction.value }],
    succeeded,
    payments: succeeded ? paymentsOf(transaction, chain) : []
  }
}

const look = async (
  client: PublicClient,
  chain: Chain,
  transactionId: TransactionId
): Promise<StandingPayment | undefined> => {
  const [heads, payment] = await Promise.all([readHeads(client, chain), paymentIn(client, chain, transactionId)])
  return payment === undefined ? undefined : {
    payment,
    confirmations: Number(heads.height - payment.block.height) + 1,
    final: payment.block.height <= heads.finalHeight
  }
}

interface BlockPayments {
  readonly hash: string
  readonly parentHash: string
  readonly payments: ReadonlyArray<UserPayment>
}

const readBlock = async (
  client: PublicClient,
  chain: Chain,
  blockNumber: bigint,
  { done }: Steps
): Promise<BlockPayments> => {
  const { hash, parentHash, transactions } = await client.getBlock({ blockNumber, includeTransactions: true })
  const payments: Array<UserPayment> = []
  for (const transaction of transactions) {
    if (orderNamedBy(chain, evmTransaction(transaction, { logs: [] })) === undefined) continue
    const id = parseTransactionId(chain.family, transaction.hash)
    if (Result.isFailure(id)) continue
    const payment = await paymentIn(client, chain, id.success)
    // The block has it, and it names an order. A node without its receipt, or with another block now, has no answer yet.
    if (payment === undefined) throw new NodeIsBehind()
    payments.push(payment)
    done()
  }
  done()
  return { hash, parentHash, payments }
}

const scan = async (client: PublicClient, chain: Chain, from: Cursor, steps: Steps) => {
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const payments: Array<UserPayment> = []
  let cursor = from
  while (cursor.height < head && cursor.height < from.height + MAX_BLOCKS) {
    const block = await readBlock(client, chain, cursor.height + 1n, steps)
    if (block.parentHash !== cursor.hash) {
      const height = from.height > REWIND_BLOCKS ? from.height - REWIND_BLOCKS : 0n
      const { hash } = await client.getBlock({ blockNumber: height })
      return { cursor: { height, hash }, payments }
    }
    payments.push(...block.payments)
    cursor = { height: cursor.height + 1n, hash: block.hash }
  }
  return { cursor, payments }
}

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    type Looked = Effect.Effect<StandingPayment | undefined, ChainUnavailable>

    return DirectPaymentWatcher.of({
      scan: (chain, from) => rpc.call(chain, "scan for sends", (client, steps) => scan(client, chain, from, steps)),
      look: (chain, id): Looked => rpc.call(chain, "a send", (client) => look(client, chain, id)),
      lookAgain: (chain, id, block, by): Looked =>
        rpc.witnessed(
          chain,
          directPaymentRead(async (client: PublicClient) => {
            const found = await look(client, chain, id)
            if (found === undefined) await assertNotIn(client, block, viemHex(id))
            return found
          }),
          by
        )
    })
  })
)
