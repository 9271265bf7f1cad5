/**
 * A signer that hangs, as a remote one does, is waited for 5 seconds of virtual time. Then the payment is not stored, its
 * sequence is free, and the next attempt signs with it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { depositOf } from "../../../../src/domain/permit/testing/PermitTransfers.ts"
import { beta } from "../../../../src/domain/quote/testing/Chains.ts"
import { layerDatabase } from "../../engine/Database.ts"
import { named } from "../../testing/Named.ts"
import { storeInMemory, storeOnTables } from "../../testing/StoreLayers.ts"

const account = Address.make("0x00000000000000000000000000000000000000f1")
const deposit = depositOf({ depositId: OrderId.make(`0x${"5".repeat(64)}`) })
const orderId = OrderId.make(deposit.depositId)
const payment = { _tag: "Payout", chain: beta, currency: beta.native, recipient: account, amount: 7n, orderId } as const

const signed = { transactionId: TransactionId.make(`0x${"7".repeat(64)}`), raw: "0x02" }

/** A signer, and what became of what it was asked for. */
const makeSigner = () => {
  const told = { hangs: true, asked: [] as Array<bigint>, abandoned: 0 }
  const prepared: PreparedPayment = {
    account,
    chainSequence: 4n,
    costs: [],
    sign: (sequence) =>
      Effect.suspend(() => {
        told.asked.push(sequence)
        return told.hangs
          ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (told.abandoned += 1)))
          : Effect.succeed(signed)
      })
  }
  return { told, prepared }
}

const hanging = Effect.gen(function*() {
  const deposits = yield* Deposits
  const payments = yield* Payments
  const { prepared, told } = makeSigner()
  yield* deposits.note(named([deposit]), 1)
  const signing = yield* Effect.forkChild(
    Effect.exit(payments.signOnce("fill", deposit.onchainId, payment, prepared, 2))
  )
  // The signer is asked whenever the store's own fibers come to it.
  while (told.asked.length === 0) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
  yield* TestClock.adjust("4999 millis")
  assert.deepStrictEqual([signing.pollUnsafe(), told.abandoned], [undefined, 0])
  yield* TestClock.adjust("1 millis")
  assert.deepStrictEqual(yield* Fiber.join(signing), Exit.fail(new SignerUnavailable({ fault: "unreachable" })))
  assert.deepStrictEqual([told.asked, told.abandoned], [[4n], 1])
  assert.isUndefined(yield* payments.find(orderId, "fill"))

  told.hangs = false
  const stored = yield* payments.signOnce("fill", deposit.onchainId, payment, prepared, 3)
  assert.deepStrictEqual([stored.sequence, stored.variants.length, told.asked], [4n, 1, [4n, 4n]])
})

describe("a payment whose signer hangs", () => {
  it.effect("fails after 5 seconds on SQLite, and keeps nothing", () =>
    Effect.provide(hanging, storeOnTables(layerDatabase(Redacted.make("sqlite::memory:")))))

  it.effect("fails after 5 seconds in memory, and keeps nothing", () => Effect.provide(hanging, storeInMemory))
})
