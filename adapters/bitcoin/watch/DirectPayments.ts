/**
 * Payments that users make themselves on a Bitcoin chain: transactions in blocks that name exactly one order
 * (BITCOIN-3). Like deposits, they are found by the bytes of the blocks, and what waits is none.
 */
import { Effect, Layer, Result } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { StandingPayment } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { orderIdIn } from "../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { orderIdsOf, paymentsOf } from "../../../src/domain/families/bitcoin/evidence/Payments.ts"
import { firstAddress } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { SpendingTransaction } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { directPaymentRead } from "../../endpoints/DirectPaymentRead.ts"
import { readSpent } from "../observe/ReadSpent.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinClient, BitcoinFault, BitcoinRead } from "../rpc/BitcoinRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHashAt, readHead, readHolds } from "./Blocks.ts"
import { findInBlock, Remembered } from "./FindInBlock.ts"
import { readInBlock } from "./InBlock.ts"
import { scanBlocks } from "./ScanBlocks.ts"

const isNote = (script: Uint8Array): boolean => orderIdIn(script) !== undefined

/** Undefined when it does not name exactly one order. */
const paymentIn = (chain: Chain, transaction: SpendingTransaction, block: BlockRef): UserPayment | undefined => {
  const [named, ...more] = orderIdsOf(transaction)
  const from = firstAddress(transaction, chain.network)
  if (named === undefined || more.length > 0 || from === undefined) return undefined
  return {
    orderId: OrderId.make(named),
    transactionId: Result.getOrThrow(parseTransactionId(chain.family, transaction.id)),
    block,
    from,
    calls: [],
    // A block holds no transaction that fails.
    succeeded: true,
    payments: paymentsOf(transaction, { address: chain.depository, network: chain.network })
  }
}

/** Undefined, too, when no block of the node's chain holds it. */
const readPayment = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    chain: Chain,
    id: string,
    deadline: number
  ): Effect.fn.Return<UserPayment | undefined, BitcoinFault> {
    const placed = yield* readInBlock(rpc, id, deadline)
    if (placed === undefined) return undefined
    const { block, raw, transaction } = placed
    return paymentIn(chain, { ...transaction, spent: yield* readSpent(rpc, transaction, raw, deadline) }, block)
  }
)

const paymentsAt = (chain: Chain, remembered: Remembered<UserPayment>) =>
  findInBlock(chain, {
    isWanted: isNote,
    find: (transaction, block) => {
      const payment = paymentIn(chain, transaction, block)
      return payment === undefined ? [] : [payment]
    },
    remembered
  })

const look = (chain: Chain, id: string): BitcoinRead<StandingPayment | undefined> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    // The head first: what the node shows afterwards is at least as new.
    const { finalHeight, height } = yield* readHead(rpc, chain, deadline)
    const payment = yield* readPayment(rpc, chain, id, deadline)
    if (payment === undefined) return undefined
    const at = payment.block.height
    return { payment, confirmations: height >= at ? Number(height - at) + 1 : 1, final: at <= finalHeight }
  })

/** Gone only when another block is at its height, or its block never held it. */
const lookAgain = (chain: Chain, id: string, { hash, height }: BlockRef): BitcoinRead<StandingPayment | undefined> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const found = yield* look(chain, id)(rpc, deadline)
    if (found !== undefined) return found
    const head = yield* readHead(rpc, chain, deadline)
    const now = yield* readHashAt(rpc, head, height, deadline)
    if (now === undefined) return yield* Effect.fail("behind" as const)
    const isHeld = now === hash && (yield* readHolds(rpc, hash, id, deadline))
    return isHeld ? yield* Effect.fail("behind" as const) : undefined
  })

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const remembered = new Remembered<UserPayment>()
    const read = <A>(chain: Chain, operation: string, of: BitcoinRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    return DirectPaymentWatcher.of({
      scan: (chain, from) =>
        Effect.map(
          read(chain, "scan for sends", scanBlocks(chain, from, paymentsAt(chain, remembered))),
          ({ cursor, found }) => ({ cursor, payments: found })
        ),
      look: (chain, id) => read(chain, "a send", look(chain, id)),
      lookAgain: (chain, id, block, by) =>
        rpc.witnessed(
          chain,
          directPaymentRead((client: BitcoinClient) => client.read(lookAgain(chain, id, block))),
          by
        )
    })
  })
)
