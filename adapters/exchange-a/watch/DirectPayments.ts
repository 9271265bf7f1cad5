/**
 * What users of exchange A pay each other under an order (EXCHANGEA-34): executed transfers whose nonce a kept mapping
 * names (EXCHANGEA-4).
 */
import { Effect, Layer } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { orderOfMapping } from "../../../src/domain/families/exchange-a/evidence/MappedOrder.ts"
import { tokenOf, transferFacts } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { blockAt } from "../../endpoints/clock/ClockAsChain.ts"
import { clockPayments } from "../../endpoints/clock/ClockPayments.ts"
import type { ShownPayment } from "../../endpoints/clock/ClockPayments.ts"
import { readDecimals, readShown } from "../observe/ReadTransaction.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { forStrangers } from "../../endpoints/AskedFor.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"
import { readHead } from "./Head.ts"

const nothing: ShownPayment = { payment: undefined }

/** Undefined when the explorer knows no such transaction, which proves nothing. */
const readPayment = Effect.fnUntraced(
  function*(
    mappings: NonceMappings["Service"],
    client: ExchangeAClient,
    chain: Chain,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<ShownPayment | undefined, ExchangeAFault> {
    const shown = yield* readShown(client, chain, id, deadline)
    if (shown === undefined) return undefined
    const { sent, succeeded, time } = shown
    if (sent === undefined || !succeeded) return nothing
    const decimals = yield* readDecimals(client, tokenOf(sent.transfer), deadline)
    const { mappedBy, payments } = transferFacts(sent, chain.depository, decimals, 0)
    if (mappedBy === undefined) return nothing
    const { nonce, wallet } = mappedBy
    // A store that does not answer is no endpoint's fault: the reading is repeated.
    const found = yield* Effect.mapError(mappings.find(chain.slug, wallet, nonce), () => "behind" as const)
    const order = found === undefined ? undefined : orderOfMapping({ chain: chain.slug, time, wallet, nonce }, found)
    if (order === undefined) return nothing
    return {
      payment: {
        orderId: OrderId.make(order),
        transactionId: id,
        block: blockAt(time),
        from: wallet,
        calls: [],
        succeeded: true,
        payments
      }
    }
  }
)

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.map(
    Effect.all([ExchangeARpc, NonceMappings]),
    ([rpc, mappings]) =>
      clockPayments(
        rpc,
        readHead,
        (chain, id) => (client, deadline) => readPayment(mappings, client, chain, id, deadline),
        (named) => forStrangers(named)
      )
  )
)
