/** What the solver pays on the simulated exchange B, from which of its keys, at which cost, and what it refuses to sign. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { AccountPayment } from "../../../ports/chain/Treasury.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { KEPT_ON_PERPS } from "../../../src/domain/families/exchange-b/payment/KeptOnPerps.ts"
import { LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { DEPOSITORY, FEE, FUNDS, SOLVER, startPayingExchangeB } from "../testing/PayingExchangeB.ts"
import {
  onExchange,
  orderOf,
  outcomeOf,
  prepared,
  refund,
  refusalOf,
  send,
  signed,
  tagOf
} from "../testing/PaymentSteps.ts"

const FUNDS_ON_PERPS = BigInt(FUNDS) - KEPT_ON_PERPS

const decodeAccounts = Schema.decodeUnknownSync(
  Schema.Struct({ accounts: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

describe("a payment on exchange B", () => {
  it.live(
    "pays the recipient exactly, on perps and on spot, and the exchange's fee is the solver's",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, native, newAccount, spotUsdc, token } = fixture
        const gas = yield* Gas
        for (const [nth, currency] of [native, token, spotUsdc].entries()) {
          const recipient = newAccount()
          const payment = refund(fixture, recipient, { currency, order: nth + 1, amount: 1_012_300n })
          assert.strictEqual(yield* gas.ofPayment(payment), FEE)
          const first = yield* signed(payment)
          assert.strictEqual(yield* send(fixture, first), "accepted")
          assert.deepInclude(yield* outcomeOf(fixture, first), {
            _tag: "Included",
            transactionId: first.transactionId,
            succeeded: true,
            final: true,
            gasPaid: FEE
          })
          assert.strictEqual(yield* balance(recipient, currency), 1_012_300n)
        }
        const left = (of: Currency) => balance(asAddress(`${SOLVER}`), of)
        assert.deepStrictEqual(
          [yield* left(native), yield* left(token), yield* left(spotUsdc)],
          [BigInt(FUNDS) - 1_012_300n - FEE, BigInt(FUNDS) - 1_012_300n, BigInt(FUNDS) - 1_012_300n - 2n * FEE]
        )
      }))
  )

  it.live(
    "is evidence for its order, as an oracle sees it",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { chain, newAccount, oracle } = fixture
        const recipient = newAccount()
        const payment = yield* signed(refund(fixture, recipient, { order: 7 }))
        yield* send(fixture, payment)
        const [attested] = yield* Effect.provide(
          Effect.flatMap(ChainObserver, ({ observe }) => observe(chain, [payment.transactionId])),
          oracle
        )
        assert(attested?._tag === "Transaction")
        assert.deepStrictEqual(attested.orderIds, [orderOf(7)])
        assert.deepInclude(attested.payments[0], { recipient, amount: 2_500_000n })
      }))
  )

  it.live(
    "is made by any of the API keys, each with nonces of its own, so that none waits for another's",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, exchange, native, newAccount } = fixture
        const recipient = newAccount()
        const stuck = yield* signed(refund(fixture, recipient, { order: 1 }))
        const { others = [], ...first } = yield* prepared(refund(fixture, recipient, { order: 2 }))
        const all: ReadonlyArray<AccountPayment> = [first, ...others]
        assert.deepStrictEqual(all.map(({ account }) => account), [
          asAddress(`${SOLVER}/4`),
          asAddress(`${SOLVER}/5`),
          asAddress(`${SOLVER}/6`)
        ])
        // They pay from one balance.
        assert.isTrue(all.every(({ costs }) => costs.every(({ holder }) => holder === `${SOLVER}`)))
        for (const { chainSequence, sign } of others) {
          const payment = yield* sign(chainSequence, [])
          yield* send(fixture, payment)
          assert.strictEqual(yield* tagOf(fixture, payment), "Included")
        }
        assert.strictEqual(yield* tagOf(fixture, stuck), "Unseen")
        assert.strictEqual(yield* balance(recipient, native), 5_000_000n)
        assert.deepStrictEqual(exchange.sent().map(({ info }) => [info.ApiKeyIndex, info.Nonce]), [[5, 0], [6, 0]])
      }))
  )

  it.live(
    "is signed under no nonce and no time that only one endpoint shows",
    onExchange(3, (fixture) =>
      Effect.gen(function*() {
        const { exchange } = fixture
        yield* exchange.misbehave({
          kind: "lie",
          questions: ["root", "nextNonce"],
          tell: () => ({ timestamp: Math.floor(exchange.now() / 1_000) + 90_000, nonce: 90 })
        })
        const payment = yield* signed(refund(fixture, fixture.newAccount()))
        yield* exchange.misbehave()
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        assert.strictEqual(yield* tagOf(fixture, payment), "Included")
        const [sent] = exchange.sent()
        assert.isTrue((sent?.info.ExpiredAt ?? Infinity) <= exchange.now() + LIFETIME_MS)
      }))
  )

  it.live(
    "is not made below the exchange's least, nor to a pool, and quotes are told so",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount, spotUsdc, token } = fixture
        const gas = yield* Gas
        const recipient = newAccount()
        const dollar = refund(fixture, recipient, { amount: 1_000_000n })
        const less = { ...dollar, amount: 999_999n }
        assert.deepStrictEqual(yield* gas.opening(less), { rent: 0n, least: 1_000_000n })
        assert.deepStrictEqual(yield* gas.opening({ ...less, currency: spotUsdc }), { rent: 0n, least: 1_000_000n })
        assert.deepStrictEqual(yield* gas.opening({ ...less, currency: token }), { rent: 0n, least: 0n })
        // What a quote asks for has any amount.
        assert.strictEqual(yield* gas.ofPayment({ ...less, amount: 1n }), FEE)
        assert.strictEqual(yield* refusalOf(less), "reverts")
        assert.strictEqual(yield* refusalOf({ ...less, currency: token }), "prepared")
        assert.strictEqual(yield* refusalOf(dollar), "prepared")
        for (const kind of [2, 3, 4, 9]) {
          exchange.make(Number(recipient), kind)
          const refused = yield* Effect.flip(gas.ofPayment(dollar))
          assert.deepInclude(refused, { _tag: "PaymentRefused", unfit: { _tag: "NoAccount" } })
          assert.strictEqual(yield* refusalOf(dollar), "reverts")
        }
        exchange.make(Number(recipient), 1)
        assert.strictEqual(yield* refusalOf(dollar), "prepared")
      }))
  )

  it.live(
    "is neither too small nor too dear by the word of one endpoint, once it is due",
    onExchange(3, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount } = fixture
        const gas = yield* Gas
        const payment = refund(fixture, newAccount(), { amount: 1_000_000n })
        const liar: ExchangeFault = {
          kind: "lie",
          questions: ["assetDetails", "transferFeeInfo"],
          tell: () => ({
            transfer_fee_usdc: 10 ** 12,
            asset_details: [{ asset_id: 3, decimals: 6, min_transfer_amount: "1000000" }]
          })
        }
        yield* exchange.misbehave(liar)
        const due = Effect.all([gas.ofPayment(payment), gas.opening(payment)])
        const priced = [FEE, { rent: 0n, least: 1_000_000n }]
        assert.deepStrictEqual(yield* Effect.provideService(due, Due, true), priced)
        assert.notDeepEqual(yield* due, priced)
        yield* exchange.misbehave({ ...liar, questions: ["assetDetails"] })
        assert.strictEqual(yield* refusalOf(payment), "prepared")
      }))
  )

  it.live("is prepared, and what is due is read, however much quotes ask for inventory", () =>
    Effect.scoped(Effect.gen(function*() {
      const fixture = yield* startPayingExchangeB(1, 60)
      const { chain, native, newAccount } = fixture
      yield* Effect.gen(function*() {
        const { inventory } = yield* Treasury
        const held = inventory(chain, native, "account")
        const answers = yield* Effect.replicateEffect(Effect.isSuccess(held), 60)
        assert.isAtMost(answers.filter((isRead) => isRead).length, 15)
        assert.deepStrictEqual(yield* Effect.provideService(held, Due, true), [FUNDS_ON_PERPS])
        assert.strictEqual(yield* refusalOf(refund(fixture, newAccount())), "prepared")
      }).pipe(Effect.provide(fixture.ports))
    })))

  it.live(
    "is quoted with the fee of a minute ago, and priced and signed with that of the moment once it is due",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount } = fixture
        const gas = yield* Gas
        const payment = refund(fixture, newAccount())
        assert.strictEqual(yield* gas.ofPayment(payment), FEE)
        exchange.charge(Number(FEE) + 5)
        assert.strictEqual(yield* gas.ofPayment(payment), FEE)
        assert.strictEqual(yield* Effect.provideService(gas.ofPayment(payment), Due, true), FEE + 5n)
        assert.strictEqual(yield* send(fixture, yield* signed(payment)), "accepted")
        assert.deepStrictEqual(exchange.sent().map(({ info }) => BigInt(info.USDCFee)), [FEE + 5n])
        // Another recipient has a fee of its own.
        assert.strictEqual(yield* gas.ofPayment(refund(fixture, newAccount())), FEE + 5n)
      }))
  )

  it.live(
    "is made whatever the balances of its recipient look like",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount } = fixture
        const strange = [
          { available_balance: "-3.250000" },
          { available_balance: "" },
          { assets: null },
          { assets: [{ symbol: "USDC", asset_id: 3, balance: "-1.000000", locked_balance: "0.000000" }] },
          { account_type: null, available_balance: null }
        ]
        for (const [nth, shown] of strange.entries()) {
          const recipient = newAccount()
          const tell = (answer: unknown) => {
            const { accounts: [account] } = decodeAccounts(answer)
            return {
              code: 200,
              accounts: [account?.["index"] === Number(recipient) ? { ...account, ...shown } : account]
            }
          }
          yield* exchange.misbehave({ kind: "lie", questions: ["account"], tell })
          const payment = yield* signed(refund(fixture, recipient, { order: nth + 1 }))
          assert.strictEqual(yield* send(fixture, payment), "accepted")
        }
        assert.lengthOf(exchange.sent(), strange.length)
      }))
  )

  it.live(
    "is not signed from a unified account, whose nonces could not be used up, and is once that is classic again",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { chain, exchange, newAccount } = fixture
        const payment = refund(fixture, newAccount())
        const open = yield* signed(payment)
        exchange.unify(SOLVER, true)
        assert.deepInclude(yield* Effect.flip(prepared(payment)), { _tag: "ChainUnavailable", kind: "misconfigured" })
        const { accountsOn, useUp } = yield* SentTransactions
        assert.strictEqual((yield* Effect.flip(useUp(chain, accountsOn(chain)[0], 0n)))._tag, "ChainUnavailable")
        // What was signed before goes on.
        assert.strictEqual(yield* send(fixture, open), "accepted")
        assert.strictEqual(yield* tagOf(fixture, open), "Included")
        exchange.unify(SOLVER, false)
        assert.strictEqual(yield* refusalOf(payment), "prepared")
      }))
  )

  it.live(
    "leaves a cent on perps, so that nonces can be used up",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, chain, native, newAccount, token } = fixture
        const recipient = newAccount()
        const treasury = yield* Treasury
        const [most = 0n] = yield* treasury.inventory(chain, native, "account")
        assert.strictEqual(most, BigInt(FUNDS) - KEPT_ON_PERPS)
        const all = refund(fixture, recipient, { amount: most - FEE })
        assert.strictEqual(yield* refusalOf({ ...all, amount: all.amount + 1n }), "insufficient-funds")
        assert.strictEqual(yield* send(fixture, yield* signed(all)), "accepted")
        assert.strictEqual(yield* balance(asAddress(`${SOLVER}`), native), KEPT_ON_PERPS)
        const sent = yield* SentTransactions
        yield* sent.useUp(chain, sent.accountsOn(chain)[0], 1n)
        assert.strictEqual(yield* balance(asAddress(`${SOLVER}`), native), KEPT_ON_PERPS - 1n)
        const tokens = refund(fixture, recipient, { currency: token, amount: BigInt(FUNDS), order: 2 })
        assert.strictEqual(yield* refusalOf(tokens), "prepared")
        assert.strictEqual(yield* refusalOf({ ...tokens, amount: BigInt(FUNDS) + 1n }), "insufficient-funds")
      }))
  )

  it.live(
    "is refused to an account that does not exist, to the solver itself and to the depository, also when it is quoted",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        const gas = yield* Gas
        for (const index of [999_999, SOLVER, DEPOSITORY]) {
          const payment = refund(fixture, asAddress(`${index}`))
          assert.strictEqual(yield* refusalOf(payment), "reverts")
          const cost = yield* Effect.flip(gas.ofPayment(payment))
          assert(cost._tag === "PaymentRefused")
          assert.strictEqual(cost.reason, "reverts")
          assert.strictEqual(cost.unfit?._tag, index === 999_999 ? "NoAccount" : undefined)
        }
      }))
  )

  it.live(
    "is not signed while the signer refuses",
    onExchange(1, (fixture) =>
      Effect.gen(function*() {
        fixture.state.isSigning = false
        const refused = yield* Effect.result(signed(refund(fixture, fixture.newAccount())))
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "SignerUnavailable")
      }))
  )
})
