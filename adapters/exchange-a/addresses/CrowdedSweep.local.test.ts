/** A deposit address on exchange A whose ledger strangers fill with dust: it is swept, once (EXCHANGEA-35). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { exchangeA as rules } from "../../../src/domain/families/exchange-a/Rules.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { dust } from "../testing/Dust.ts"
import { newAccount, startPayingExchangeA } from "../testing/PayingExchangeA.ts"

const USD = 100_000_000n
const DAYS = 3 * 86_400_000
const place = { generation: 7, number: 9 }
const orderOf = (n: number): OrderId => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)

describe("the sweep of a deposit address on exchange A", () => {
  it.live("is made although strangers have filled the milliseconds before it and its own, and is none when it was not", () =>
    Effect.scoped(Effect.gen(function*() {
      const { book, chain, native, ports } = yield* startPayingExchangeA(3)
      book.credit(chain.depository, "", USD)
      book.hold()
      const program = Effect.gen(function*() {
        const derive = (yield* DepositKeyring).deriverOf(rules) ?? assert.fail("no seed")
        const address = yield* derive(place)
        const { broadcast, outcome, prepare } = yield* Treasury
        book.credit(address, "", 5n * USD)
        const signed = (n: number) => {
          const sweep: SweepPayment = {
            _tag: "Sweep",
            chain,
            currency: native,
            recipient: address,
            amount: 0n,
            orderId: orderOf(n),
            sweep: {
              address,
              key: place,
              orderId: orderOf(1_000),
              depositor: newAccount(),
              depositId: orderOf(2_000 + n),
              currency: native.address,
              units: 2n * USD
            }
          }
          return Effect.flatMap(prepare(sweep), ({ chainSequence, sign }) => sign(chainSequence, []))
        }
        const tagOf = (payment: Effect.Success<ReturnType<typeof signed>>) =>
          Effect.map(outcome(chain, [payment], "quorum"), ({ _tag }) => _tag)
        dust(book, address, 501)
        book.pass(1)
        const made = yield* signed(1)
        dust(book, address, 501)
        assert.strictEqual(yield* broadcast(chain, made), "accepted")
        assert.strictEqual(book.balance(chain.depository, ""), 3n * USD)
        book.pass(1)
        assert.strictEqual(yield* tagOf(made), "Included")
        book.pass(DAYS)
        assert.strictEqual(yield* tagOf(made), "Included")
        const late = yield* signed(2)
        dust(book, address, 501)
        book.pass(DAYS)
        assert.strictEqual(yield* tagOf(late), "Expired")
      })
      yield* Effect.provide(program, ports)
    })))
})
