/** What payments claim: never two at once, from the signature until a payment is set aside. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { PaymentClaim, PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import type { AccountPayment, Claimant, PreparedReplacement } from "../../../../ports/chain/Treasury.ts"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import { Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { alpha, evmAddress } from "../../../../src/domain/quote/testing/Chains.ts"
import { describeStores } from "../../testing/stores.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const account = Address.make(evmAddress("51"))
const coins = ["a", "b", "c", "d", "e", "f"].map((name) => PaymentClaim(`${name}:0`))

const payment = (n: number, chain = alpha) =>
  ({
    _tag: "Payout",
    chain,
    currency: alpha.native,
    recipient: Address.make(evmAddress("a1")),
    amount: 10n,
    orderId: OrderId.make(id(1000 + n))
  }) as const

let forms = 0
const form = () => {
  forms += 1
  return { transactionId: TransactionId.make(id(70_000 + forms)), raw: `form ${forms}` }
}

const refused = new PaymentRefused({ reason: "insufficient-funds" })

/** Signs the first coins that nobody holds. */
const taking = (count: number, from = coins): AccountPayment => ({
  account,
  chainSequence: 0n,
  // Not covered: claims decide, not sums.
  costs: [{ holder: account, currency: alpha.native.address, amount: 10n, balance: 0n }],
  claimable: from,
  sign: (_, others) =>
    Effect.suspend(() => {
      const held = new Set(others.flatMap(({ claims }) => claims))
      const claims = from.filter((coin) => !held.has(coin)).slice(0, count)
      return claims.length < count ? Effect.fail(refused) : Effect.succeed({ ...form(), claims })
    })
})

const sign = (n: number, prepared: AccountPayment, chain = alpha) =>
  Effect.flatMap(
    Payments,
    (payments) => payments.signOnce("fill", Hex32.make(id(n)), payment(n, chain), prepared, forms)
  )

/** What a payment that may claim these is shown when it is signed. It is not. */
const shown = (claimable: ReadonlyArray<PaymentClaim>, chain = alpha) =>
  Effect.gen(function*() {
    let seen: ReadonlyArray<Claimant> = []
    const looking: AccountPayment = {
      ...taking(0),
      claimable,
      sign: (_, others) =>
        Effect.suspend(() => {
          seen = others
          return Effect.fail(new SignerUnavailable({ fault: "refused" }))
        })
    }
    assert.instanceOf(yield* Effect.flip(sign(999, looking, chain)), SignerUnavailable)
    return seen
  })

/** Who holds what, by the newest form. */
const holding = Effect.map(shown(coins), (others) => Object.fromEntries(others.map(({ claims, raw }) => [raw, claims])))

const replacement = (undoes: ReadonlyArray<PaymentClaim>): PreparedReplacement => ({
  extra: { holder: account, currency: alpha.native.address, amount: 5n, balance: 0n },
  mostGas: 0n,
  undoes,
  sign: Effect.sync(form)
})

const include = ({ leg, orderId, transactionId }: StoredPayment) =>
  Effect.flatMap(Payments, ({ recordOutcome }) =>
    recordOutcome(orderId, leg, {
      state: "included",
      transactionId,
      block: { height: 7n, hash: "0x07", time: 7 },
      gasPaid: 1n
    }))

const steps = fc.array(
  fc.record({
    what: fc.constantFrom("sign", "include", "set aside", "replace"),
    n: fc.nat(4),
    count: fc.integer({ min: 1, max: 3 }),
    coin: fc.nat(coins.length - 1)
  }),
  { minLength: 1, maxLength: 25 }
)

describeStores(({ test }) => {
  for (const [nth, program] of fc.sample(steps, { numRuns: 6, seed: 24 }).entries()) {
    test(
      `in random course ${nth}, a coin has one holder, from its signature until that payment is set aside`,
      Effect.gen(function*() {
        const payments = yield* Payments
        const live = new Map<number, { stored: StoredPayment; readonly claims: ReadonlyArray<PaymentClaim> }>()
        const free = () => coins.filter((coin) => ![...live.values()].some(({ claims }) => claims.includes(coin)))
        for (const { coin, count, n, what } of program) {
          const known = live.get(n)
          if (what === "sign" && known === undefined) {
            const claims = free().slice(0, count)
            const signed = yield* Effect.result(sign(n, taking(count)))
            assert.strictEqual(signed._tag, claims.length === count ? "Success" : "Failure")
            if (signed._tag === "Success") live.set(n, { stored: signed.success, claims })
          } else if (known !== undefined && what === "include") yield* include(known.stored)
          else if (known !== undefined && what === "set aside") {
            yield* payments.setAside(known.stored)
            live.delete(n)
          } else if (known !== undefined && what === "replace") {
            const undone = coins[coin] ?? assert.fail()
            const stored = (yield* payments.replace(known.stored, replacement([undone]), 9)) ?? assert.fail()
            assert.strictEqual(stored.variants.length > known.stored.variants.length, free().includes(undone))
            known.stored = stored
          }
          assert.deepStrictEqual(
            yield* holding,
            Object.fromEntries([...live.values()].map(({ claims, stored }) => [stored.raw, claims]))
          )
        }
      })
    )
  }

  test(
    "many that sign at once hold no coin twice, and those that find none are refused",
    Effect.gen(function*() {
      const tried = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        (n) =>
          Effect.result(
            Effect.retry(sign(n, taking(1)), { times: 50, while: ({ _tag }) => _tag === "StoreUnavailable" })
          ),
        { concurrency: "unbounded" }
      )
      const signed = tried.flatMap((each) => each._tag === "Success" ? [each.success] : [])
      assert.lengthOf(signed, coins.length)
      assert.isTrue(tried.every((each) => each._tag === "Success" || each.failure._tag === "PaymentRefused"))
      const held = Object.values(yield* holding)
      assert.deepStrictEqual(held.flat().toSorted(), coins)
      // What was refused has used no sequence.
      assert.deepStrictEqual(
        signed.map(({ sequence }) => sequence).toSorted((one, other) => Number(one - other)),
        coins.map((_, n) => BigInt(n))
      )
    })
  )

  test(
    "a payment in a block is shown only to whoever may claim what it holds; one in no block always, with all it holds",
    Effect.gen(function*() {
      const one = yield* sign(1, taking(2))
      const two = yield* sign(2, taking(1))
      yield* include(one)
      const [a, b, c, d] = coins
      if (a === undefined || b === undefined || c === undefined || d === undefined) return assert.fail()
      const inFlight = { transactionId: two.transactionId, raw: two.raw, claims: [c] }
      assert.deepStrictEqual(yield* shown([d]), [inFlight])
      assert.deepStrictEqual(yield* shown([]), [inFlight])
      const included = { transactionId: one.transactionId, raw: one.raw, claims: [b] }
      assert.deepStrictEqual(yield* shown([b, d]), [included, inFlight])
    })
  )

  test(
    "a signer that takes what another holds, whatever it was shown, is refused, and the other keeps it",
    Effect.gen(function*() {
      const one = yield* sign(1, taking(1))
      const [a = assert.fail(), b = assert.fail()] = coins
      const blind: AccountPayment = {
        ...taking(1, [b]),
        sign: () => Effect.sync(() => ({ ...form(), claims: [b, a] }))
      }
      assert.deepStrictEqual(yield* Effect.flip(sign(2, blind)), refused)
      assert.deepStrictEqual(yield* holding, { [one.raw]: [a] })
      assert.strictEqual((yield* sign(2, taking(1))).sequence, 1n)
    })
  )

  test(
    "a signer that takes what it was not shown, because its holder is in a block, is shown that and signs what is left",
    Effect.gen(function*() {
      const one = yield* sign(1, taking(2))
      yield* include(one)
      const [a = assert.fail(), b = assert.fail(), c = assert.fail()] = coins
      // As change of a payment that a reorg took back: not among what it may claim in blocks.
      const unshown: AccountPayment = { ...taking(1, [a, b, c]), claimable: [] }
      const two = yield* sign(2, unshown)
      assert.deepStrictEqual(yield* holding, { [one.raw]: [a, b], [two.raw]: [c] })
      assert.deepStrictEqual(yield* Effect.flip(sign(3, unshown)), refused)
    })
  )

  test(
    "a payment that was replaced since it was read is not set aside, and keeps its coins",
    Effect.gen(function*() {
      const payments = yield* Payments
      const one = yield* sign(1, taking(2))
      const replaced = (yield* payments.replace(one, replacement([]), 9)) ?? assert.fail()
      yield* payments.setAside(one)
      assert.deepStrictEqual(yield* holding, { [replaced.raw]: coins.slice(0, 2) })
      yield* payments.setAside(replaced)
      assert.deepStrictEqual(yield* holding, {})
      assert.lengthOf((yield* sign(1, taking(2))).variants, 1)
    })
  )

  test(
    "coins of one name on two chains are two coins",
    Effect.gen(function*() {
      yield* sign(1, taking(coins.length))
      const beta = { ...alpha, id: ChainId.make(alpha.id + 1) }
      assert.deepStrictEqual(yield* shown(coins, beta), [])
      yield* sign(2, taking(coins.length), beta)
    })
  )
})
