/**
 * What users of exchange A pay each other under an order (EXCHANGEA-34): executed transfers whose nonce a kept mapping
 * names (EXCHANGEA-4). The exchange lists transfers by account alone, so nothing is scanned for: the client names its
 * transaction.
 *
 * The exchange takes nothing back. A payment is never gone because an endpoint does not know it.
 */
import { Effect, Layer } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { StandingPayment } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { orderOfMapping } from "../../../src/domain/families/exchange-a/evidence/MappedOrder.ts"
import { tokenOf, transferFacts } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { directPaymentRead } from "../../endpoints/DirectPaymentRead.ts"
import { withoutSendScans } from "../../family/UnsupportedPorts.ts"
import { readDecimals, readShown } from "../observe/ReadTransaction.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeAFault, ExchangeARead, ExchangeAReader } from "../rpc/ExchangeARpc.ts"
import { blockAt, readHead } from "./Head.ts"

interface Shown {
  readonly payment: UserPayment | undefined
}

const nothing: Shown = { payment: undefined }

/** Undefined when the explorer knows no such transaction, which proves nothing. */
const readPayment = Effect.fnUntraced(
  function*(
    mappings: NonceMappings["Service"],
    client: ExchangeAClient,
    chain: Chain,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<Shown | undefined, ExchangeAFault> {
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

/** `unknown`: what it means that the endpoint does not show the transaction. */
const standingOf = (
  mappings: NonceMappings["Service"],
  chain: Chain,
  id: TransactionId,
  unknown: Effect.Effect<undefined, ExchangeAFault>
): ExchangeARead<StandingPayment | undefined> =>
  Effect.fnUntraced(function*(client, deadline) {
    // The head first: what the endpoint shows afterwards is at least as new.
    const { height } = yield* readHead(client, deadline)
    const shown = yield* readPayment(mappings, client, chain, id, deadline)
    if (shown === undefined) return yield* unknown
    const { payment } = shown
    if (payment === undefined) return undefined
    const at = payment.block.height
    return { payment, confirmations: at <= height ? Number(height - at) + 1 : 1, final: at <= height }
  })

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const mappings = yield* NonceMappings

    return DirectPaymentWatcher.of({
      ...withoutSendScans,
      look: (chain, id) =>
        rpc.call(chain, "a send", (client) => client.read(standingOf(mappings, chain, id, Effect.undefined))),
      lookAgain: (chain, id, _block, by) => {
        const standing = standingOf(mappings, chain, id, Effect.fail("behind"))
        return rpc.witnessed(chain, directPaymentRead((client: ExchangeAReader) => client.read(standing)), by)
      }
    })
  })
)
