/** The port `Payments` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Payments, PaymentsHeld } from "../../../ports/store/orders/Payments.ts"
import type { IncludedPayment, StoredPayment } from "../../../ports/store/orders/Payments.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { isHalted } from "../operations/Pauses.ts"
import { isHeld } from "../operations/Restorations.ts"
import { descending } from "../Ordering.ts"
import type { StoredPurpose } from "../rows/OrderRows.ts"
import { WriteRefused } from "../Table.ts"
import { keyOf } from "../Tables.ts"
import type { Tables } from "../Tables.ts"
import { adoptedPayments } from "./payments/AdoptedPayments.ts"
import { freeClaims } from "./payments/PaymentClaims.ts"
import { handOver, hasRefund, unfinishedRefunds } from "./payments/HandedPayments.ts"
import { replacedPayments } from "./payments/ReplacedPayments.ts"
import { signedPayments } from "./payments/SignedPayments.ts"
import { readPayment } from "./payments/StoredPayments.ts"
import { moveTransfer } from "./StatusMoves.ts"

const recordOutcome = (
  tables: Tables,
  ...[orderId, leg, outcome]: Parameters<Payments["Service"]["recordOutcome"]>
) => {
  const key = keyOf(orderId, leg)
  const row = tables.payments.get(key)
  if (row === undefined) return true
  if (isHalted(tables, row.chainId)) return false
  const { block, gasPaid, state, transactionId } = outcome
  const variant = outcome.signedAs ?? transactionId
  const raw = tables.variants.get(variant)?.raw
  if (raw === undefined) throw new WriteRefused(`${variant} is no variant`)
  tables.payments.set(key, { ...row, state, block, gasPaid, transactionId, raw })
  return true
}

const included = (tables: Tables, chainId: ChainId, limit: number): ReadonlyArray<IncludedPayment> =>
  tables.payments.all().filter((row) => row.chainId === chainId && row.state === "included").toSorted(
    descending(({ signedAt }) => signedAt)
  ).slice(0, limit).flatMap(({ block, leg, orderId }) => {
    const payment = isPurpose(leg) ? readPayment(tables, orderId, leg) : undefined
    return payment === undefined || block === undefined ? [] : [{ ...payment, block }]
  })

const isPurpose = (leg: StoredPurpose): leg is StoredPayment["leg"] => !leg.includes("!")

/** Its row stays under another purpose, with its sequence. */
const setAside = (
  tables: Tables,
  { account, chainId, leg, orderId, sequence, transactionId, variants }: StoredPayment
): void => {
  const { payments, variantsAt } = tables
  const row = payments.get(keyOf(orderId, leg))
  if (row === undefined || row.transactionId !== transactionId) return
  if (variantsAt(keyOf(chainId, account, sequence)).length !== variants.length) return
  const aside: StoredPurpose = `${leg}!${transactionId}`
  payments.remove(keyOf(orderId, leg))
  payments.add(keyOf(orderId, aside), { ...row, leg: aside, state: "void" })
  freeClaims(tables, row)
}

export const layer = Layer.effect(
  Payments,
  Effect.map(MemoryStore, (store) => {
    const { call } = store
    return Payments.of({
      ...signedPayments(store),
      ...adoptedPayments(store),
      ...replacedPayments(store),
      find: (orderId, leg) => call("Payments.find", (tables) => readPayment(tables, orderId, leg)),
      standing: (orderId, legs, chains) =>
        call("Payments.standing", (tables) => {
          const payments = [...new Set(legs)].toSorted().flatMap((leg) => readPayment(tables, orderId, leg) ?? [])
          const [chain] = chains.filter(({ id }) => isHeld(tables, id)).toSorted((one, other) => one.id - other.id)
          return {
            payments,
            held: chain === undefined ? undefined : new PaymentsHeld({ chain: chain.slug }),
            hasRefund: hasRefund(tables, orderId)
          }
        }),
      unfinishedRefunds: (orderId) =>
        call("Payments.unfinishedRefunds", (tables) => unfinishedRefunds(tables, orderId)),
      refuseHeld: ({ id, slug }) =>
        Effect.flatMap(
          call("Payments.refuseHeld", (tables) => isHeld(tables, id)),
          (held) => held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void
        ),
      signed: (transactionId) => call("Payments.signed", ({ variants }) => variants.has(transactionId)),
      recordSent: ({ leg, orderId, transactionId }, shown) =>
        call("Payments.recordSent", (tables) => {
          tables.payments.change(keyOf(orderId, leg), (row) =>
            row.state === "signed" && row.transactionId === transactionId ? { ...row, state: "sent" } : row)
          if (shown !== undefined) {
            moveTransfer(tables, shown.request, shown)
          }
        }),
      recordOutcome: (...recorded) => call("Payments.recordOutcome", (tables) => recordOutcome(tables, ...recorded)),
      included: (chainId, limit) => call("Payments.included", (tables) => included(tables, chainId, limit)),
      setAside: (payment) => call("Payments.setAside", (tables) => setAside(tables, payment)),
      handOver: (...handed) => call("Payments.handOver", (tables) => handOver(tables, ...handed))
    })
  })
)
