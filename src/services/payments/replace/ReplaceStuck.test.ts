/** A payment is replaced only when the quorum says that no block has it: one endpoint may hide it (QUORUM-5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { ReadBy } from "../../../../ports/chain/ReadBy.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../../ports/chain/Treasury.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { depositOf, user } from "../../../domain/permit/testing/PermitTransfers.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"
import { replaceWhenStuck } from "./ReplaceStuck.ts"

const transactionId = TransactionId.make(`0x${"3".repeat(64)}`)
const { block, onchainId } = depositOf({ sender: user })

const stuck: StoredPayment = {
  leg: "fill",
  deposit: onchainId,
  orderId: OrderId.make(`0x${"5".repeat(64)}`),
  amount: 1n,
  state: "sent",
  transactionId,
  raw: "0x",
  chainId: alpha.id,
  account: user,
  sequence: 0n,
  currency: alpha.native.address,
  variants: [{ transactionId, raw: "0x", signedAt: 0 }]
}

/** Whether it is replaced, and who was asked where it stands. */
const replacedWhile = (outcome: PaymentOutcome) =>
  Effect.gen(function*() {
    const asked: Array<ReadBy> = []
    const variant = { transactionId, raw: "0x", signedAt: 0 }
    const ports = Layer.mergeAll(
      Layer.succeed(Policy, defaultPolicy),
      Layer.mock(Payments, {
        replace: (payment) => Effect.succeed({ ...payment, variants: [...payment.variants, variant] })
      }),
      Layer.mock(Treasury, {
        outcome: (_chain, _variants, by) =>
          Effect.sync(() => {
            asked.push(by)
            return outcome
          }),
        replacing: () => ({
          judge: () =>
            Effect.succeed({
              _tag: "Replace",
              whole: Effect.succeed({
                extra: { holder: user, currency: alpha.native.address, amount: 0n, balance: 0n },
                mostGas: 2n,
                sign: Effect.die("it is not signed here")
              }),
              within: Effect.succeed(undefined)
            }),
          withoutAuthorizations: () => Effect.die("it carries none")
        })
      })
    )
    return { replaced: yield* Effect.provide(replaceWhenStuck<never>(alpha, stuck, 0), ports), asked }
  })

describe("a payment that seems stuck", () => {
  it.effect("is replaced while the quorum sees it in no block, and waits when it sees it in one", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("1 day")
      for (const _tag of ["Pending", "Unseen"] as const) {
        assert.deepStrictEqual(yield* replacedWhile({ _tag }), { replaced: "replaced", asked: ["quorum"] })
      }
      const included = { _tag: "Included", transactionId, block, succeeded: true, gasPaid: 1n, final: false } as const
      for (const outcome of [included, { _tag: "Superseded" }, { _tag: "Expired" }] as const) {
        assert.deepStrictEqual(yield* replacedWhile(outcome), { replaced: "waits", asked: ["quorum"] })
      }
    }))
})
