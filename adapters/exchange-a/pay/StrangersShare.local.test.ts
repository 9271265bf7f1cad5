/** What strangers may make an endpoint of exchange A answer, and what is left for deposits and payments. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import type { PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { startPayingExchangeA } from "../testing/PayingExchangeA.ts"

const MANY = 80
const answered = <A, E, R>(asked: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.map(Effect.forEach(asked, Effect.isSuccess), (all) => all.filter((each) => each).length)

describe("the budget of an endpoint of exchange A", () => {
  it.live("is left to payments, however many quotes and addresses strangers ask for", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chain, native, ports } = yield* startPayingExchangeA(1, 1_200)
      yield* Effect.gen(function*() {
        const [balances, gas, treasury] = [yield* AddressBalances, yield* Gas, yield* Treasury]
        const recipients = Array.from({ length: MANY }, (_, nth) => asAddress(`0x${`${nth}`.padStart(40, "7")}`))
        const payments = recipients.map((recipient): PlainPayment => ({
          _tag: "Refund",
          chain,
          currency: native,
          recipient,
          amount: 1_000_000n,
          orderId: OrderId.make(`0x${"11".repeat(32)}`)
        }))
        const held = treasury.inventory(chain, native, "account")
        assert.isBelow(yield* answered(payments.map(gas.ofPayment)), 16)
        assert.isBelow(yield* answered(recipients.map((each) => balances.read(chain, each, [native]))), MANY)
        assert.isBelow(yield* answered(recipients.map(() => held)), MANY)
        const [payment] = payments
        if (payment === undefined) return assert.fail("no payment")
        yield* treasury.prepare(payment)
        yield* Effect.provideService(Effect.all([held, gas.ofPayment(payment)]), Due, true)
      }).pipe(Effect.provide(ports))
    })))
})
