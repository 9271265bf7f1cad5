/** A payment that another deposit takes over, by a process that has read its former deposit as gone (REFUND-14). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { layer as layerStore } from "../../../../property-tests/memory-store/index.ts"
import { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { Hex32 } from "../../../domain/encoding/Hex.ts"
import { depositOf, transferOf } from "../../../domain/permit/testing/PermitTransfers.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { handOver, noteThoseBack } from "./HandOver.ts"

const transfer = transferOf()
const former = depositOf({ sender: transfer.terms.user })
const other = { ...former, onchainId: Hex32.make(`0x${"9".repeat(64)}`) }
const payment: Payment = {
  _tag: "Fill",
  chain: alpha,
  currency: alpha.native,
  recipient: transfer.terms.user,
  amount: 1n,
  orderId: transfer.orderId,
  topup: 0n,
  authorizations: [],
  calls: undefined
}

/** The former deposit has been filled. */
const filledFormer = Effect.gen(function*() {
  const [deposits, payments] = [yield* Deposits, yield* Payments]
  yield* deposits.note([{ deposit: former, precedence: 0n }, { deposit: other, precedence: 0n }], 1)
  const paid = yield* payments.signOnce("fill", former.onchainId, payment, {
    account: transfer.terms.user,
    chainSequence: 0n,
    costs: [],
    sign: () => Effect.succeed({ transactionId: TransactionId.make(`0x${"3".repeat(64)}`), raw: "0x" })
  }, 1)
  yield* deposits.close(former.onchainId, 1, "filled", 1)
  return paid
})

type Shows = "back" | "gone"

/** `shows`: what the quorum shows of the former deposit once the payment is another's. */
const watching = (shows: Shows) =>
  Layer.mock(DepositWatcher, {
    standing: (_, asked, by) =>
      Effect.sync(() => {
        assert.deepStrictEqual([asked.onchainId, by], [former.onchainId, "quorum"])
        return shows === "gone"
          ? { _tag: "Gone" as const }
          : { _tag: "Included" as const, block: former.block, confirmations: 1, final: false, deposits: [former] }
      })
  })

const stateNow = Effect.gen(function*() {
  const [deposits, payments] = [yield* Deposits, yield* Payments]
  const owner = (yield* payments.find(transfer.orderId, "fill"))?.deposit
  return [owner, yield* deposits.stateOf(former.onchainId), (yield* deposits.find(former.onchainId))?.sighting]
})

const stateAfter = (shows: Shows) =>
  Effect.gen(function*() {
    const paid = yield* filledFormer
    yield* handOver(alpha, transfer, paid, former, other).pipe(Effect.provide(watching(shows)))
    return yield* stateNow
  }).pipe(Effect.provide(layerStore))

/** The process ends while it looks. What goes on with the payment looks again. */
const stateAfterCrash = (shows: Shows) =>
  Effect.gen(function*() {
    const paid = yield* filledFormer
    const looks = yield* Deferred.make<void>()
    const first = yield* Effect.forkChild(
      handOver(alpha, transfer, paid, former, other).pipe(Effect.provide(Layer.mock(DepositWatcher, {
        standing: () => Effect.andThen(Deferred.succeed(looks, undefined), Effect.never)
      })))
    )
    yield* Deferred.await(looks)
    yield* Fiber.interrupt(first)
    assert.deepStrictEqual(yield* stateNow, [other.onchainId, "gone", 2])
    yield* noteThoseBack(alpha, transfer).pipe(Effect.provide(watching(shows)))
    return yield* stateNow
  }).pipe(Effect.provide(layerStore))

describe("a payment that another deposit takes over", () => {
  it.effect("leaves its former deposit gone, for a scan to find", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* stateAfter("gone"), [other.onchainId, "gone", 2])
    }))

  it.effect("leaves it open as a second deposit, where it came back after it was read as gone and before that was written", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* stateAfter("back"), [other.onchainId, "open", 3])
    }))

  it.effect("is looked after when the process ends between that writing and its look", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* stateAfterCrash("gone"), [other.onchainId, "gone", 2])
      assert.deepStrictEqual(yield* stateAfterCrash("back"), [other.onchainId, "open", 3])
    }))
})
