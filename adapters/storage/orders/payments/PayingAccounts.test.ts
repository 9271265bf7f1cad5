/** Several accounts that pay on one chain: each has sequences of its own, and an order is still paid once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { AccountPayment, PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { alpha, evmAddress } from "../../../../src/domain/quote/testing/Chains.ts"
import { replacementBounds } from "../../../../src/domain/transfer/payment/ReplacePayment.ts"
import { layerMigrations } from "../../engine/Migrations.ts"
import { migrations } from "../../migrations/index.ts"
import { describeEngines } from "../../testing/engines.ts"
import * as SqlPayments from "../Payments.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const accounts = ["51", "52", "53"].map((last) => Address.make(evmAddress(last)))
const [one = assert.fail(), two = assert.fail(), three = assert.fail()] = accounts

const payment = (n: number) =>
  ({
    _tag: "Payout",
    chain: alpha,
    currency: alpha.native,
    recipient: Address.make(evmAddress("a1")),
    amount: 10n,
    orderId: OrderId.make(id(1000 + n))
  }) as const

const deposit = (n: number) => Hex32.make(id(n))

/** Signs by naming account and sequence. */
const by = (
  account: Address,
  changes: Partial<AccountPayment> & { readonly balance?: bigint } = {}
): AccountPayment => ({
  account,
  chainSequence: 0n,
  costs: [{ holder: account, currency: alpha.native.address, amount: 10n, balance: changes.balance ?? 1_000n }],
  sign: (sequence) =>
    Effect.succeed({
      transactionId: TransactionId.make(`0x${account.slice(2)}${sequence.toString(16).padStart(24, "0")}`),
      raw: `raw ${account} ${sequence}`
    }),
  ...changes
})

const fromAny = (first: AccountPayment, ...others: ReadonlyArray<AccountPayment>): PreparedPayment => ({
  ...first,
  others
})

const ofAll = () => fromAny(by(one), by(two), by(three))

describeEngines((_name, engine) => {
  const repositories = SqlPayments.layer.pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )
  const test = <E>(name: string, effect: Effect.Effect<void, E, Payments>) =>
    it.live(name, () => effect.pipe(Effect.provide(repositories)))

  const sign = (n: number, prepared: PreparedPayment, at = 9) =>
    Effect.flatMap(Payments, (payments) => payments.signOnce("fill", deposit(n), payment(n), prepared, at))

  test(
    "the account with the fewest payments in flight signs next, each account without gaps in its own sequences",
    Effect.gen(function*() {
      const signed = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], (n) => sign(n, ofAll()))
      assert.deepStrictEqual(
        signed.map(({ account, sequence }) => [account, sequence]),
        [[one, 0n], [two, 0n], [three, 0n], [one, 1n], [two, 1n], [three, 1n], [one, 2n]]
      )
    })
  )

  test(
    "many that sign at once leave no gap and take no sequence twice, on any account",
    Effect.gen(function*() {
      const signed = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, n) => n),
        (n) => sign(n, ofAll()).pipe(Effect.retry({ times: 50 })),
        { concurrency: "unbounded" }
      )
      for (const [account, own] of Map.groupBy(signed, (each) => each.account)) {
        assert.deepStrictEqual(
          own.map(({ sequence }) => sequence).toSorted((a, b) => Number(a - b)),
          own.map((_, n) => BigInt(n)),
          account
        )
      }
    })
  )

  test(
    "two that sign for one order at once, for two of its deposits and with two accounts, sign one payment",
    Effect.gen(function*() {
      const payments = yield* Payments
      const orders = Array.from({ length: 12 }, (_, n) => n)
      yield* Effect.forEach(orders, (n) =>
        Effect.gen(function*() {
          const [left, right] = yield* Effect.all([
            payments.signOnce("fill", deposit(n), payment(n), fromAny(by(one)), 9),
            payments.signOnce("fill", deposit(100 + n), payment(n), fromAny(by(two)), 9)
          ], { concurrency: "unbounded" })
          assert.deepStrictEqual(left, right)
          assert.lengthOf(left.variants, 1)
        }), { discard: true })
      // What was not signed has used no sequence.
      const next = yield* Effect.forEach([one, two], (account, n) => sign(200 + n, fromAny(by(account))))
      assert.strictEqual(next.reduce((sum, { sequence }) => sum + sequence, 0n), BigInt(orders.length))
    })
  )

  test(
    "what no account covers beside what it pays already is refused, and what one covers is signed there",
    Effect.gen(function*() {
      const poor = () => fromAny(by(one, { balance: 5n }), by(two, { balance: 25n }), by(three, { balance: 15n }))
      const tried = yield* Effect.forEach([1, 2, 3], (n) => sign(n, poor()), { concurrency: "unbounded" })
      assert.deepStrictEqual(tried.map(({ account }) => account).toSorted(), [two, two, three])
      // 5 are left on each: together enough, on no account.
      assert.deepInclude(yield* Effect.flip(sign(4, poor())), { _tag: "PaymentRefused", reason: "insufficient-funds" })
      assert.strictEqual((yield* sign(4, fromAny(by(one, { balance: 5n }), by(two, { balance: 30n })))).sequence, 2n)
    })
  )

  test(
    "an account whose oldest payment is stuck signs nothing while another is free, and again when that one is in a block",
    Effect.gen(function*() {
      const payments = yield* Payments
      const late = 9 + replacementBounds(alpha.blockTimeMs, 1n).stuckMs
      const stuck = yield* sign(1, fromAny(by(one)))
      const signed = yield* Effect.forEach([2, 3, 4], (n) => sign(n, fromAny(by(one), by(two)), late))
      assert.deepStrictEqual(signed.map(({ account }) => account), [two, two, two])
      yield* payments.recordOutcome(stuck.orderId, "fill", {
        state: "included",
        transactionId: stuck.transactionId,
        block: { height: 5n, hash: "0x5", time: 6 },
        gasPaid: 1n
      })
      assert.strictEqual((yield* sign(5, fromAny(by(one), by(two)), late)).account, one)
    })
  )

  test(
    "a signer that fails takes no sequence of its account and leaves those of the others alone",
    Effect.gen(function*() {
      const fails = by(one, { sign: () => Effect.fail(new SignerUnavailable({ fault: "unreachable" })) })
      assert.strictEqual((yield* Effect.flip(sign(1, fromAny(fails, by(two)))))._tag, "SignerUnavailable")
      assert.deepInclude(yield* sign(2, fromAny(by(two))), { account: two, sequence: 0n })
      assert.deepInclude(yield* sign(1, fromAny(by(one), by(two))), { account: one, sequence: 0n })
    })
  )
})
