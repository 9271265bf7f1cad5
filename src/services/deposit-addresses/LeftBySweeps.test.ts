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
import type { Currency } from "../../domain/money/Currency.ts"
import { tron, tronUsdt } from "../../domain/quote/testing/Chains.ts"
import { paidTo, usingWhatIsLeft } from "./LeftBySweeps.ts"

const address = Address.make(`0x${"a1".repeat(20)}`)
const orderId = OrderId.make(`0x${"1".repeat(64)}`)
const sweepOn = (family: Chain["family"], { address: currency }: Currency): SweepPayment => ({
  _tag: "Sweep",
  chain: { ...tron, family },
  currency: tron.native,
  recipient: address,
  amount: 0n,
  orderId,
  sweep: { address, orderId, depositor: address, depositId: orderId, currency }
})
const signed: SignedPayment = { transactionId: TransactionId.make("51".repeat(32)), raw: "51" }

/** What it is told to use, and what was asked, in its order. */
const used = (
  reading: Reading,
  left: bigint | undefined,
  { currency = tron.native, family = families["tron-vm"] }: {
    readonly currency?: Currency
    readonly family?: Chain["family"]
  } = {}
) =>
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
    const { sweep } = yield* Effect.provide(usingWhatIsLeft(sweepOn(family, currency)), ports)
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
      const ofTokens = { currency: tronUsdt }
      assert.isUndefined((yield* used(read, undefined, ofTokens)).left)
      assert.isUndefined((yield* used({ _tag: "Unread" }, 7n, ofTokens)).left)
      assert.deepStrictEqual(yield* used(read, 7n, { family: families["ethereum-vm"] }), { left: undefined, asked: [] })
    }))

  it.effect("is not signed while that is not certain, where it takes native currency itself (TRON-29)", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(used(read, undefined)))._tag, "ChainUnavailable")
      assert.strictEqual((yield* Effect.flip(used({ _tag: "Unread" }, 7n)))._tag, "ChainUnavailable")
    }))

  it.effect("was paid what its address holds beyond that, and nothing is known while that is not certain", () =>
    Effect.gen(function*() {
      const paid = (units: bigint, left: bigint | undefined, currency: Currency = tron.native) =>
        paidTo(tron, address, currency, { ...read, units }).pipe(
          Effect.provide(Layer.mergeAll(
            Layer.mock(AddressBalances, { leftBySweeps: () => Effect.succeed(left) }),
            Layer.mock(Sweeps, { signed: () => Effect.succeed([signed]) })
          ))
        )
      assert.deepStrictEqual(yield* paid(9n, 7n), { ...read, units: 2n })
      assert.deepStrictEqual(yield* paid(6n, 7n), { ...read, units: 0n })
      assert.deepStrictEqual(yield* paid(9n, undefined), { _tag: "Unread" })
      assert.deepStrictEqual(yield* paid(9n, 7n, tronUsdt), { ...read, units: 9n })
    }))
})
