/**
 * The port `Payments` in memory, by its own words: a row for (order, purpose), sequences of one account, all or
 * nothing.
 */
import { Effect, Layer } from "effect"
import { Payments, PaymentsHalted, PaymentsHeld } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { standingBy } from "./Standing.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { sameForms } from "../../../domain/transfer/payment/SameForms.ts"

/** Where a process may be killed: before what is named is in the store, or after. */
export type Place = `${"before" | "after"} ${"sign" | "sent" | "replace" | "outcome" | "set aside"}`

export const makePayments = () => {
  const rows = new Map<string, StoredPayment>()
  const aside: Array<StoredPayment> = []
  let next = 0n
  const state = { held: false, isHalted: () => false, killAt: undefined as Place | undefined }
  const keyOf = (orderId: string, purpose: PaymentPurpose) => `${orderId} ${purpose}`
  const point = (place: Place) =>
    Effect.suspend(() => {
      if (state.killAt !== place) return Effect.void
      state.killAt = undefined
      return Effect.die(new Error(`killed ${place}`))
    })
  /** A transaction: the process is killed before it is committed, or after. */
  const commit = <A, E>(
    name: "sign" | "sent" | "replace" | "outcome" | "set aside",
    work: Effect.Effect<readonly [A, () => void], E>
  ) =>
    Effect.gen(function*() {
      const [answer, write] = yield* work
      yield* point(`before ${name}`)
      write()
      yield* point(`after ${name}`)
      return answer
    })
  /** What excludes a payment for the same deposit or order. */
  const standing = (orderId: string, purpose: PaymentPurpose, deposit: string) => {
    const isDelivery = (one: PaymentPurpose) => one === "fill" || one === "fallback"
    return [...rows.values()].find((row) =>
      row.leg !== purpose && row.state !== "reverted" && !row.leg.startsWith("excess:") &&
      (row.deposit === deposit || (row.orderId === orderId && isDelivery(row.leg) && isDelivery(purpose)))
    )
  }

  const find: Payments["Service"]["find"] = (orderId, purpose) => Effect.sync(() => rows.get(keyOf(orderId, purpose)))
  const layer = Layer.mock(Payments, {
    find,
    standing: standingBy(find, () => state.held),
    refuseHeld: ({ slug }) =>
      Effect.suspend(() => state.held ? Effect.fail(new PaymentsHeld({ chain: slug })) : Effect.void),
    signOnce: (purpose, deposit, payment, prepared, at) =>
      commit(
        "sign",
        Effect.gen(function*() {
          const existing = standing(payment.orderId, purpose, deposit) ?? rows.get(keyOf(payment.orderId, purpose))
          if (existing !== undefined) return [existing, () => undefined] as const
          if (state.isHalted()) return yield* new PaymentsHalted({ chain: payment.chain.slug })
          const sequence = next > prepared.chainSequence ? next : prepared.chainSequence
          const signed = yield* prepared.sign(sequence, [])
          const row: StoredPayment = {
            ...signed,
            sequence,
            deposit,
            leg: purpose,
            orderId: payment.orderId,
            chainId: payment.chain.id,
            account: prepared.account,
            currency: payment.currency.address,
            amount: payment.amount,
            state: "signed",
            variants: [{ ...signed, signedAt: at }]
          }
          return [row, () => {
            next = sequence + 1n
            rows.set(keyOf(payment.orderId, purpose), row)
          }] as const
        })
      ),
    recordSent: ({ leg, orderId, transactionId }) =>
      commit(
        "sent",
        Effect.sync(() =>
          [undefined, () => {
            const row = rows.get(keyOf(orderId, leg))
            if (row?.state === "signed" && row.transactionId === transactionId) {
              rows.set(keyOf(orderId, leg), { ...row, state: "sent" })
            }
          }] as const
        )
      ),
    replace: (payment, { sign }, at) =>
      commit(
        "replace",
        Effect.gen(function*() {
          const row = rows.get(keyOf(payment.orderId, payment.leg))
          if (row === undefined || !sameForms(row, payment) || row.state === "reverted") {
            return [row, () => undefined] as const
          }
          const signed = yield* sign
          const replaced: StoredPayment = {
            ...row,
            ...signed,
            state: "signed",
            variants: [...row.variants, { ...signed, signedAt: at }]
          }
          return [replaced, () => {
            rows.set(keyOf(payment.orderId, payment.leg), replaced)
          }] as const
        })
      ),
    recordOutcome: (orderId, leg, { gasPaid, state: to, transactionId }) =>
      commit(
        "outcome",
        Effect.sync(() =>
          [!state.isHalted(), () => {
            const row = state.isHalted() ? undefined : rows.get(keyOf(orderId, leg))
            if (row !== undefined) rows.set(keyOf(orderId, leg), { ...row, state: to, transactionId, gasPaid })
          }] as const
        )
      ),
    setAside: (payment) =>
      commit(
        "set aside",
        Effect.sync(() =>
          [undefined, () => {
            const row = rows.get(keyOf(payment.orderId, payment.leg))
            if (row === undefined || !sameForms(row, payment)) return
            rows.delete(keyOf(payment.orderId, payment.leg))
            aside.push(row)
          }] as const
        )
      )
  })
  return {
    state,
    aside,
    layer,
    all: () => [...rows.values()],
    holds: (transactionId: string) =>
      [...rows.values()].some(({ variants }) => variants.some((variant) => variant.transactionId === transactionId)),
    chain: alpha
  }
}
