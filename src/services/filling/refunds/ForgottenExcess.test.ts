/** The excess of a strict address that a restored store has found without its deposit (RESTORE-3). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../../ports/store/orders/TransferHistory.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { Hex32 } from "../../../domain/encoding/Hex.ts"
import { depositOf, transferOf } from "../../../domain/permit/testing/PermitTransfers.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { takeForgottenExcess } from "./ForgottenExcess.ts"

const EXCESS = 1_000n

const { permit: _, ...terms } = transferOf().terms
const transfer: Transfer = {
  ...transferOf(),
  terms: {
    ...terms,
    depositAddress: { address: terms.user, mode: "strict", depositor: terms.user, refundTo: terms.refundTo }
  }
}
const deposit = { ...depositOf({ sender: terms.user }), amount: terms.amountIn + EXCESS }
const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)

/** The payments by their purpose, and which deposits are known. */
const taken = (amounts: ReadonlyArray<readonly [of: Hex32, amount: bigint]>, known: ReadonlyArray<Hex32> = []) =>
  Effect.gen(function*() {
    const paid = new Map<PaymentPurpose, StoredPayment>(amounts.map(([of, amount]) => {
      const signed = { transactionId: TransactionId.make(of), raw: "found", signedAt: 1 }
      const payment: StoredPayment = {
        ...signed,
        orderId: transfer.orderId,
        leg: `refund:${of}`,
        deposit: of,
        chainId: deposit.chainId,
        account: terms.user,
        sequence: 1n,
        currency: deposit.currency,
        amount,
        state: "included",
        variants: [signed]
      }
      return [payment.leg, payment]
    }))
    const excess = yield* takeForgottenExcess(transfer, deposit, EXCESS).pipe(Effect.provide(Layer.mergeAll(
      Layer.mock(Deposits, {
        find: (id) => Effect.succeed(known.includes(id) ? { deposit, sighting: 1 } : undefined)
      }),
      Layer.mock(TransferHistory, {
        paymentsOf: (_order, legs) =>
          Effect.succeed(
            [...paid.values()].filter(({ leg }) => legs.includes(leg)).map((payment) => ({
              ...payment,
              onchainId: payment.deposit,
              recipient: terms.refundTo,
              block: null,
              gasPaid: null
            }))
          )
      }),
      Layer.mock(Payments, {
        unfinishedRefunds: () => Effect.succeed([...paid.values()].filter(({ leg }) => leg.startsWith("refund:"))),
        find: (_order, leg) => Effect.succeed(paid.get(leg)),
        handOver: (payment, to, _at, as) =>
          Effect.sync(() => {
            assert.strictEqual(as, "excess")
            paid.delete(payment.leg)
            paid.set(`excess:${to}`, { ...payment, leg: `excess:${to}`, deposit: to })
            return true
          })
      })
    )))
    return { excess: excess?.transactionId, left: [...paid.keys()].map(String).toSorted() }
  })

describe("the excess of a deposit that reappears", () => {
  it.effect("is the payment that was found without a deposit; no second one is made", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* taken([[word(1), EXCESS - 1n]]), {
        excess: TransactionId.make(word(1)),
        left: [`excess:${deposit.onchainId}`]
      })
    }))

  it.effect("is never another deposit's refund, whether that is known or of another amount; and only one payment is taken", () =>
    Effect.gen(function*() {
      const [known, small, fits, again] = [word(1), word(2), word(3), word(4)]
      const all = [[known, EXCESS], [small, EXCESS / 4n], [fits, EXCESS], [again, EXCESS]] as const
      assert.deepStrictEqual(yield* taken(all, [known]), {
        excess: TransactionId.make(fits),
        left: [`excess:${deposit.onchainId}`, `refund:${known}`, `refund:${small}`, `refund:${again}`]
      })
      assert.deepStrictEqual(yield* taken(all.slice(0, 2), [known]), {
        excess: undefined,
        left: [`refund:${known}`, `refund:${small}`]
      })
    }))
})
