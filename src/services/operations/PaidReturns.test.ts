/**
 * After a restore, a payment counts as known while its stored payment can be executed, and no longer. However many
 * deposits an order has, each stored payment is asked about once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../domain/transfer/payment/PaymentOutcome.ts"
import type { PaidReturns } from "../../domain/transfer/payment/PurposeOfPayment.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import type { RecordedPayment } from "../../../ports/store/orders/TransferHistory.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { depositOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
import { makeKnownReturns, paidReturns } from "./PaidReturns.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const orderId = OrderId.make(word(9))
const depositsOf = (count: number) => Array.from({ length: count }, (_, nth) => depositOf({ onchainId: word(nth + 1) }))

interface Questions {
  history: number
  stored: number
  chain: number
}

/** A store with these payments and so many deposits. Their chain says this of all payments. Counts what is asked. */
const store = (stored: ReadonlyArray<PaymentPurpose>, outcome: PaymentOutcome, count: number, asked?: Questions) =>
  Layer.mergeAll(
    Layer.mock(Chains, { all: [alpha] }),
    Layer.mock(Treasury, {
      outcome: (_chain, _variants, by) => {
        if (asked !== undefined) asked.chain += 1
        return by === "quorum" ? Effect.succeed(outcome) : Effect.die("not one endpoint")
      },
      replacing: () => undefined
    }),
    Layer.mock(Payments, {
      find: (_, purpose) => {
        if (asked !== undefined) asked.stored += 1
        return Effect.succeed(
          stored.includes(purpose) ? ({ chainId: alpha.id, variants: [] } as unknown as StoredPayment) : undefined
        )
      }
    }),
    Layer.mock(TransferHistory, {
      allDeposits: () => {
        if (asked !== undefined) asked.history += 1
        return Effect.succeed(depositsOf(count).map((deposit) => ({ deposit, state: "open", isHeld: false })))
      },
      allPayments: () => {
        if (asked !== undefined) asked.history += 1
        return Effect.succeed(stored.map((leg) => ({ leg }) as unknown as RecordedPayment))
      }
    })
  )

const idsOf = ({ excesses, isDelivered, unrefunded }: PaidReturns) => ({
  isDelivered,
  unrefunded: unrefunded.map(({ onchainId }) => onchainId),
  excesses: [...excesses]
})

/** What is known of two deposits when these payments are stored. */
const known = (stored: ReadonlyArray<PaymentPurpose>, outcome: PaymentOutcome) =>
  paidReturns({ orderId }).pipe(Effect.map(idsOf), Effect.provide(store(stored, outcome, 2)))

describe("payments that a restored store knows", () => {
  it.effect("are those whose payments may be executed", () =>
    Effect.gen(function*() {
      const stored = [`refund:${word(1)}`, `excess:${word(2)}`, "fill"] as const
      for (const _tag of ["Pending", "Unseen"] as const) {
        assert.deepStrictEqual(yield* known(stored, { _tag }), {
          isDelivered: true,
          unrefunded: [word(2)],
          excesses: [word(2)]
        })
      }
    }))

  it.effect("are not those whose payments are dead: they may have been made again since", () =>
    Effect.gen(function*() {
      const stored = [`refund:${word(1)}`, `excess:${word(2)}`, "fill"] as const
      for (const _tag of ["Superseded", "Expired"] as const) {
        assert.deepStrictEqual(yield* known(stored, { _tag }), {
          isDelivered: false,
          unrefunded: [word(1), word(2)],
          excesses: []
        })
      }
    }))

  it.effect("are read once in a restoration, however many deposits and found payments there are", () =>
    Effect.gen(function*() {
      const asked = { history: 0, stored: 0, chain: 0 }
      const stored = [`refund:${word(1)}`, "fill"] as const
      yield* Effect.gen(function*() {
        const returns = makeKnownReturns()
        for (let nth = 1; nth <= 300; nth += 1) {
          const { unrefunded } = yield* returns.of({ orderId })
          // What was found before is known, and the next one is for another deposit.
          assert.strictEqual(unrefunded[0]?.onchainId, word(nth + 1))
          returns.note(orderId, `refund:${word(nth + 1)}`)
        }
        returns.note(orderId, `excess:${word(400)}`)
        assert.deepInclude(idsOf(yield* returns.of({ orderId })), { isDelivered: true, excesses: [word(400)] })
      }).pipe(Effect.provide(store(stored, { _tag: "Pending" }, 1_000, asked)))
      assert.deepStrictEqual(asked, { history: 2, stored: 2, chain: 2 })
    }))
})
