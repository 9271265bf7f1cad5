/** After a restore, a payment counts as known while its stored payment can be executed, and no longer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../domain/transfer/payment/PaymentOutcome.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose, StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { paidReturns } from "./PaidReturns.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const orderId = OrderId.make(word(9))
const deposits = [1, 2].map((n) => ({ onchainId: word(n) }) as unknown as Deposit)

/** What is known when these payments are stored, and their chain says this of all of them. */
const known = (stored: ReadonlyArray<PaymentPurpose>, outcome: PaymentOutcome) =>
  paidReturns({ orderId }).pipe(
    Effect.map(({ excesses, isDelivered, unrefunded }) => ({
      isDelivered,
      unrefunded: unrefunded.map(({ onchainId }) => onchainId),
      excesses: [...excesses]
    })),
    Effect.provide(Layer.mergeAll(
      Layer.mock(Chains, { all: [alpha] }),
      Layer.mock(Treasury, {
        outcome: (_chain, _variants, by) => by === "quorum" ? Effect.succeed(outcome) : Effect.die("not one endpoint"),
        replacing: () => undefined
      }),
      Layer.mock(Payments, {
        find: (_, purpose) =>
          Effect.succeed(
            stored.includes(purpose) ? ({ chainId: alpha.id, variants: [] } as unknown as StoredPayment) : undefined
          )
      }),
      Layer.mock(TransferHistory, {
        allDeposits: () => Effect.succeed(deposits.map((deposit) => ({ deposit, state: "open", isHeld: false })))
      })
    ))
  )

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
})
