/**
 * What must hold of every transaction that the service sends on the Tron chain, whatever becomes of it: anybody who has
 * seen it can send it again until it expires. So a law about what is in blocks is not enough.
 */
import { Effect } from "effect"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
import type { OpenStore } from "../Store.ts"
import type { Sent } from "../Users.ts"
import { solver } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { entryOf, solidOf } from "./TronLedger.ts"
import { hasPaid } from "./TronView.ts"
import { isSigned, readTransaction } from "./TronTransaction.ts"
import type { SentTransaction } from "./TronTransaction.ts"

/** `broken`: every way in which a law is broken is added. */
export const makeTronSentLaw = (chain: TronChain, broken: Array<string>) => {
  const sent = new Map<string, SentTransaction>()
  /** It has paid, or a block may still hold it. */
  const mayPay = ({ expiration, id }: SentTransaction): boolean => {
    const state = chain.state()
    const entry = entryOf(state, id)
    return entry === undefined ? solidOf(state).time < expiration : hasPaid(entry.executed)
  }
  return {
    /** SECURITY: what is sent is stored, and signed by the solver. */
    onSent: (store: OpenStore | undefined, bytes: Uint8Array) =>
      Effect.gen(function*() {
        const transaction = readTransaction(bytes)
        if (transaction === undefined) return void broken.push("bytes that are no transaction are sent on tron")
        const { id, transaction: { owner } } = transaction
        if (sent.has(id)) return
        sent.set(id, transaction)
        if (owner !== solver.evm || !isSigned(transaction)) broken.push(`${id} is sent on tron and not signed`)
        if (store !== undefined && !(yield* store.isStored(id))) {
          broken.push(`${id} is sent on tron before it is stored`)
        }
      }),
    /** No more payments of an order can ever be executed than there are deposits for it, sweeps among them. */
    brokenNow: (deposits: ReadonlyArray<Pick<Sent, "memo">>): ReadonlyArray<string> =>
      [...Map.groupBy([...sent.values()].filter(mayPay), ({ transaction }) => paidOrderIn(transaction)?.orderId)]
        .flatMap(
          ([order, transactions]) => {
            const paid = deposits.filter(({ memo }) => memo === order).length
            return transactions.length > paid
              ? [
                `${
                  order ?? "no order"
                } has ${paid} deposits, and ${transactions.length} of its payments can be executed on tron`
              ]
              : []
          }
        )
  }
}
export type TronSentLaw = ReturnType<typeof makeTronSentLaw>
