/** The port `SentTransactions`: the transfers that the solver's account has sent, from the ledger's own list. */
import { Effect, Layer } from "effect"
import { type Chain, Hex, OrderId, type TransactionId } from "causeway-kit"
import { readPosition, sentBetween } from "causeway-kit/adapters/endpoints"
import { type SentTransaction, SentTransactions } from "causeway-kit/ports"
import { orderIdIn } from "../rules/Evidence.ts"
import type { Record } from "./Answers.ts"
import { ask, behind, type LedgerClient, LedgerRpc } from "./LedgerNode.ts"
import { Solver } from "./Solver.ts"
import { signedPayment, submit } from "./Treasury.ts"
import { blockOf } from "./Watcher.ts"

/** The memo of `useUp`'s transfers, which move nothing. */
const USED_UP = "used up"

const sentOf = (chain: Chain, { block, feePaid, signature, succeeded, transfer }: Record): SentTransaction => {
  const orderId = orderIdIn(transfer.memo)
  // A user may name the solver's own account as the recipient: that transfer to itself is a payment.
  const movesNothing = transfer.amount === 0n
  const { amount, currency, recipient, sequence } = transfer
  return {
    account: transfer.sender,
    ...signedPayment(chain, { transfer, signature: Hex.make(`0x${signature.slice(2)}`) }),
    sequence,
    block: blockOf(block),
    succeeded,
    gasPaid: feePaid,
    payment: orderId === undefined || movesNothing
      ? undefined
      : { orderId: OrderId.make(orderId), recipient, currency, amount },
    movesNothing
  }
}

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* LedgerRpc
    const { account, sign } = yield* Solver

    const position: SentTransactions["Service"]["position"] = (chain, _, by) =>
      readPosition(rpc, chain, by, async (client) => {
        const { final, finalSequence, head, pendingSequence, sequence } = await client.get(ask.account(account))
        return {
          counted: true,
          height: BigInt(head.height),
          sequence,
          pendingSequence,
          finalHeight: BigInt(final.height),
          finalSequence
        }
      })

    const findOne = async (client: LedgerClient, chain: Chain, id: TransactionId) => {
      const { transfer: record } = await client.get(ask.transfer(id))
      return record === undefined || record.transfer.sender !== account ? undefined : sentOf(chain, record)
    }

    return SentTransactions.of({
      accountsOn: () => [account],
      position,
      lastBlockBefore: (chain, time) =>
        rpc.call(chain, "the block of a time", async (client) => {
          let [before, from] = [-1, (await client.get(ask.ledger)).head.height + 1]
          while (from - before > 1) {
            const middle = Math.floor((before + from) / 2)
            const { block } = await client.get(ask.block(middle))
            if (block === undefined) return behind()
            if (block.time * 1_000 < time) before = middle
            else from = middle
          }
          return BigInt(before)
        }),
      find: (chain, id) => rpc.call(chain, "a transfer of the account", (client) => findOne(client, chain, id)),
      between: (chain, from, to, by) =>
        sentBetween(rpc, chain, by, {
          range: [from, to],
          find: (client, id) => findOne(client, chain, id),
          list: async (client) => {
            const found: Array<SentTransaction> = []
            let after = from - 1n
            while (after < to) {
              const { transfers, upTo } = await client.get(ask.history(after < 0n ? 0n : after, account))
              found.push(
                ...transfers.filter(({ block, transfer }) => transfer.sender === account && BigInt(block.height) <= to)
                  .map((record) => sentOf(chain, record))
              )
              if (BigInt(upTo.height) <= after) break
              after = BigInt(upTo.height)
            }
            return after < to && by === "quorum" ? behind() : found
          }
        }),
      useUp: Effect.fnUntraced(function*(chain, _account, sequence) {
        const { fee } = yield* rpc.call(chain, "the fee of a transfer", (client) => client.get(ask.ledger))
        const signed = yield* sign({
          ledger: chain.genesisHash ?? "",
          sender: account,
          sequence,
          recipient: account,
          currency: chain.native.address,
          amount: 0n,
          fee,
          memo: USED_UP
        })
        yield* rpc.call(chain, "using a sequence up", (client) => submit(client, signed))
      })
    })
  })
)
