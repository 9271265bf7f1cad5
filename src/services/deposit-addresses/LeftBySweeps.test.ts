/** What pays for a sweep beside the solver: what earlier ones have left, once that is certain (TRON-26). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import type { Reading } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import { families } from "../../domain/families/index.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { tron } from "../../domain/quote/testing/Chains.ts"
import { usingWhatIsLeft } from "./LeftBySweeps.ts"

const address = Address.make(`0x${"a1".repeat(20)}`)
const orderId = OrderId.make(`0x${"1".repeat(64)}`)
const sweepOn = (family: Chain["family"]): SweepPayment => ({
  _tag: "Sweep",
  chain: { ...tron, family },
  currency: tron.native,
  recipient: address,
  amount: 0n,
  orderId,
  sweep: { address, orderId, depositor: address, depositId: orderId, currency: tron.native.address }
})
const signed: SignedPayment = { transactionId: TransactionId.make("51".repeat(32)), raw: "51" }

/** What it is told to use, and what was asked, in its order. */
const used = (reading: Reading, left: bigint | undefined, family: Chain["family"] = families["tron-vm"]) =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const ports = Layer.mergeAll(
      Layer.mock(AddressBalances, {
        read: (_, of, currencies) =>
          Effect.sync(() => (asked.push(`${
            currencies.map(({ symbol }) => symbol).join()
          } of ${of === address}`),
            [reading])
          ),
        leftBySweeps: (_, all, height) => Effect.sync(() => (asked.push(`${all.length} at ${height}`), left))
      }),
      Layer.mock(Sweeps, { signed: () => Effect.sync(() => (asked.push("signed"), [signed])) })
    )
    const { sweep } = yield* Effect.provide(usingWhatIsLeft(sweepOn(family)), ports)
    return { left: sweep.left, asked }
  })

describe("a sweep of an address that pays for it", () => {
  const read: Reading = { _tag: "Read", units: 0n, height: 9n, isFinal: true }

  it.effect("uses what earlier ones have left, whether or not anything counts as paid there", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* used(read, 7n), { left: 7n, asked: ["TRX of true", "signed", "1 at 9"] })
      assert.deepStrictEqual((yield* used(read, 0n)).left, 0n)
    }))

  it.effect("uses nothing while that is not certain, and elsewhere nothing is asked", () =>
    Effect.gen(function*() {
      assert.isUndefined((yield* used(read, undefined)).left)
      assert.isUndefined((yield* used({ _tag: "Unread" }, 7n)).left)
      assert.deepStrictEqual(yield* used(read, 7n, families["ethereum-vm"]), { left: undefined, asked: [] })
    }))
})
