/** The port `DirectPaymentWatcher`: transfers between users that name an order. */
import { Effect, Layer, Result } from "effect"
import { type Chain, OrderId, parseTransactionId, type UserPayment } from "causeway-kit"
import { directPaymentRead } from "causeway-kit/adapters/endpoints"
import { DirectPaymentWatcher, type StandingPayment } from "causeway-kit/ports"
import { orderIdIn, transferFacts } from "../rules/Evidence.ts"
import type { Record } from "./Answers.ts"
import { ask, behind, type LedgerClient, LedgerRpc } from "./LedgerNode.ts"
import { blockOf, historyAfter } from "./Watcher.ts"

const paymentIn = (chain: Chain, { block, id, succeeded, transfer }: Record): UserPayment | undefined => {
  const orderId = orderIdIn(transfer.memo)
  if (orderId === undefined) return undefined
  return {
    orderId: OrderId.make(orderId),
    transactionId: Result.getOrThrow(parseTransactionId(chain.family, id)),
    block: blockOf(block),
    from: transfer.sender,
    calls: [],
    succeeded,
    payments: succeeded ? transferFacts(transfer, chain.depository).payments : []
  }
}

const look = async (client: LedgerClient, chain: Chain, id: string): Promise<StandingPayment | undefined> => {
  const { final, head, transfer: record } = await client.get(ask.transfer(id))
  const payment = record === undefined ? undefined : paymentIn(chain, record)
  return record === undefined || payment === undefined
    ? undefined
    : { payment, confirmations: head.height - record.block.height + 1, final: record.block.height <= final.height }
}

export const layer = Layer.effect(
  DirectPaymentWatcher,
  Effect.map(LedgerRpc, (rpc) =>
    DirectPaymentWatcher.of({
      scan: (chain, cursor) =>
        rpc.call(chain, "scan for sends", async (client) => {
          const { transfers, upTo } = await historyAfter(client, cursor)
          return {
            cursor: upTo === undefined ? cursor : { height: BigInt(upTo.height), hash: upTo.hash },
            payments: transfers.flatMap((record) => paymentIn(chain, record) ?? [])
          }
        }),
      look: (chain, id) => rpc.call(chain, "a send", (client) => look(client, chain, id)),
      lookAgain: (chain, id, { hash, height }, by) =>
        rpc.witnessed(
          chain,
          directPaymentRead(async (client: LedgerClient) => {
            const found = await look(client, chain, id)
            if (found !== undefined) return found
            const { block, head } = await client.get(ask.block(height))
            return block?.hash === hash || BigInt(head.height) < height ? behind() : undefined
          }),
          by
        )
    }))
)
