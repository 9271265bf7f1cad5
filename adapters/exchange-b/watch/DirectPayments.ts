/**
 * What users of exchange B pay each other under an order (EXCHANGEB-25): executed transfers whose memo names it, signed
 * by the sender's owner (EXCHANGEB-6).
 */
import { Effect, Layer } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { withSignedMemo } from "../../../src/domain/families/exchange-b/evidence/SignedMemo.ts"
import { transferFacts } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import type { SentTransfer } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { blockAt } from "../../endpoints/clock/ClockAsChain.ts"
import { clockPayments } from "../../endpoints/clock/ClockPayments.ts"
import type { ShownPayment } from "../../endpoints/clock/ClockPayments.ts"
import { TRANSFER, transferIn } from "../decode/NodeAnswers.ts"
import { isDone, readRaw } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { forStrangers } from "../../endpoints/AskedFor.ts"
import { ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"
import { readHead } from "./Head.ts"
import { KnownTransactions } from "./ShownDeposits.ts"

/** Undefined when it names no order. `time`: seconds. */
const paymentIn = (chain: Chain, id: TransactionId, time: number, sent: SentTransfer): UserPayment | undefined => {
  const { orderIds: [named], payments } = transferFacts(sent, chain.depository, chain.network)
  return named === undefined ? undefined : {
    orderId: OrderId.make(named),
    transactionId: id,
    block: blockAt(time),
    from: asAddress(sent.fromAccountIndex.toString()),
    calls: [],
    succeeded: true,
    payments
  }
}

/** Undefined when the endpoint does not know the transaction, or does not show it as executed: neither proves anything. */
const readPayment = Effect.fnUntraced(
  function*(
    known: KnownTransactions,
    client: ExchangeBClient,
    chain: Chain,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<ShownPayment | undefined, ExchangeBFault> {
    const raw = yield* readRaw(client, id, deadline)
    if (raw === undefined || !isDone(raw)) return undefined
    if (raw.type !== TRANSFER) return { payment: undefined }
    const shown = transferIn(raw.info)
    if (shown === undefined) return yield* Effect.fail("undecodable" as const)
    const { l1Signature, transfer } = shown
    const owner = yield* known.ownerOf(client, transfer.fromAccountIndex.toString(), deadline)
    const sent = withSignedMemo(transfer, chain.network, owner, l1Signature)
    return { payment: paymentIn(chain, id, Math.floor(raw.queued_at / 1_000), sent) }
  }
)

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.map(ExchangeBRpc, (rpc) => {
    const known = new KnownTransactions()
    return clockPayments(
      rpc,
      readHead,
      (chain, id) => (client, deadline) => readPayment(known, client, chain, id, deadline),
      (named) => forStrangers(named)
    )
  })
)
