/**
 * Whether one transaction pays what is due, with each payment counted once (CLAIM-5).
 *
 * Several dues to one recipient in one currency are summed. Payments through a router count only for orders that name
 * the router, and only when nothing was paid directly, since a contract may pass on what it received.
 */
import * as Result from "effect/Result"
import type { Address } from "../chain/Address.ts"
import type { ChainRef } from "../hub/ChainRef.ts"
import type { Hex, Hex32 } from "../encoding/Hex.ts"
import { decodeExtraData } from "../order/ExtraData.ts"
import type { OrderId } from "../order/Order.ts"
import { type Refusal, refuse } from "./judges/Refusal.ts"
import type { PaymentEvidence, TransactionEvidence } from "./TransactionEvidence.ts"

/** The amount due to one recipient in one currency, in smallest units. The texts are canonical. */
export interface Due {
  readonly recipient: string
  readonly currency: string
  readonly amount: bigint
  readonly router: Address | undefined
}

/** The router named in extra data. Undefined when the data does not contain a possible router. */
export const routerOf = (chain: ChainRef, extraData: Hex): Address | undefined => {
  const router = decodeExtraData(chain.family, extraData)
  return Result.isSuccess(router) ? router.success : undefined
}

/** Refuses a transaction unless it names this order and no other. */
export const namesOnly = (evidence: TransactionEvidence, id: OrderId): Result.Result<void, Refusal> => {
  const names: ReadonlyArray<Hex32> = evidence.orderIds
  if (names.length === 0) return refuse("no-order-id", evidence.transactionId)
  if (names.length > 1) return refuse("several-order-ids", evidence.transactionId)
  return names[0] === id ? Result.succeed(undefined) : refuse("wrong-order-id", evidence.transactionId)
}

const sum = (payments: ReadonlyArray<PaymentEvidence>): bigint =>
  payments.reduce((total, payment) => total + payment.amount, 0n)

/** The amount that counts as paid to a group of dues with the same recipient and currency. */
const paidTo = (payments: ReadonlyArray<PaymentEvidence>, dues: ReadonlyArray<Due>): bigint => {
  const direct = sum(payments.filter((payment) => payment.through._tag === "Direct"))
  if (direct > 0n) return direct
  // Payments through a router count only if every due of the group names it. Otherwise they would also count for orders
  // that they were not made for.
  return sum(
    payments.filter(({ through }) => through._tag === "Router" && dues.every((due) => due.router === through.router))
  )
}

const accountKey = (of: { readonly recipient: string; readonly currency: string }): string =>
  JSON.stringify([of.recipient, of.currency])

/** Refuses unless the transaction pays every due in full, with no payment counted twice. */
export const coversAll = (evidence: TransactionEvidence, dues: ReadonlyArray<Due>): Result.Result<void, Refusal> => {
  for (const [account, group] of Map.groupBy(dues, accountKey)) {
    const paid = paidTo(evidence.payments.filter((payment) => accountKey(payment) === account), group)
    const due = group.reduce((total, each) => total + each.amount, 0n)
    if (paid < due) return refuse("underpaid", `${paid} of ${due} to ${group[0]?.recipient ?? ""}`)
  }
  return Result.succeed(undefined)
}
