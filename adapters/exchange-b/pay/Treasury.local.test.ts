/** The solver's payments on exchange B, against the simulated exchange: each is made once, whatever the exchange does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { FAILED, REJECTED } from "../../../hosts/localnet/nodes/exchange-b/node/State.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import type { FillPayment, PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { AccountPayment, SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { KEPT_ON_PERPS } from "../../../src/domain/families/exchange-b/payment/KeptOnPerps.ts"
import { EXPIRY_MARGIN_MS, LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { DEPOSITORY, FEE, FUNDS, SOLVER, startPayingExchangeB } from "../testing/PayingExchangeB.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** After it, what has expired is dead. */
const LONG = LIFETIME_MS + EXPIRY_MARGIN_MS + MINUTE

const FUNDS_ON_PERPS = BigInt(FUNDS) - KEPT_ON_PERPS

const decodeAccounts = Schema.decodeUnknownSync(
  Schema.Struct({ accounts: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
)

const orderOf = (n: number): OrderId => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)

type Fixture = Effect.Success<ReturnType<typeof startPayingExchangeB>>

/** A test over that many endpoints. */
const on = <E>(
  hosts: number,
  body: (fixture: Fixture) => Effect.Effect<void, E, Gas | SentTransactions | Treasury>
) =>
() =>
  Effect.scoped(Effect.flatMap(startPayingExchangeB(hosts), (fixture) => Effect.provide(body(fixture), fixture.ports)))

const refund = (
  { chain, native }: Fixture,
  recipient: Address,
  { amount = 2_500_000n, currency = native, order = 1 }: {
    readonly amount?: bigint
    readonly currency?: Currency
    readonly order?: number
  } = {}
): PlainPayment => ({ _tag: "Refund", chain, currency, recipient, amount, orderId: orderOf(order) })

const prepared = (payment: PlainPayment | FillPayment) => Effect.flatMap(Treasury, ({ prepare }) => prepare(payment))

/** By the first API key, under the next nonce, or a later one. */
const signed = (payment: PlainPayment | FillPayment, later = 0n) =>
  Effect.flatMap(prepared(payment), ({ chainSequence, sign }) => sign(chainSequence + later, []))

const refusalOf = (payment: PlainPayment | FillPayment) =>
  Effect.match(prepared(payment), {
    onFailure: (failure) => failure._tag === "PaymentRefused" ? failure.reason : failure._tag,
    onSuccess: () => "prepared"
  })

const send = ({ chain }: Fixture, payment: SignedPayment) =>
  Effect.flatMap(
    Treasury,
    ({ broadcast }) =>
      Effect.match(broadcast(chain, payment), { onFailure: ({ kind }) => kind, onSuccess: (said) => said })
  )

const outcomeOf = ({ chain }: Fixture, payment: SignedPayment) =>
  Effect.flatMap(Treasury, ({ outcome }) => outcome(chain, [payment], "quorum"))

const tagOf = (fixture: Fixture, payment: SignedPayment) => Effect.map(outcomeOf(fixture, payment), ({ _tag }) => _tag)

describe("a payment on exchange B", () => {
  it.live(
    "pays the recipient exactly, on perps and on spot, and the exchange's fee is the solver's",
    on(1, (fixture) =>
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
    on(1, (fixture) =>
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
    "expires by the exchange's clock, whatever the time is here",
    on(1, (fixture) =>
      Effect.gen(function*() {
        for (const apart of [3_600_000, 26 * 3_600_000]) {
          fixture.exchange.pass(apart)
          const payment = yield* signed(refund(fixture, fixture.newAccount()))
          assert.strictEqual(yield* send(fixture, payment), "accepted")
          assert.strictEqual(yield* tagOf(fixture, payment), "Included")
        }
      }))
  )

  it.live(
    "is submitted once although the exchange answers late, breaks off, limits, fails, or takes nothing",
    on(2, (fixture) =>
      Effect.gen(function*() {
        const { balance, exchange, native, newAccount } = fixture
        const questions = ["sendTx"]
        const faults: ReadonlyArray<ExchangeFault> = [
          { kind: "down", questions },
          { kind: "status", status: 429, questions },
          { kind: "status", status: 500, questions },
          { kind: "delay", milliseconds: 50 },
          { kind: "away", questions: ["api/v1/sendTx"] },
          { kind: "away" }
        ]
        for (const [nth, fault] of faults.entries()) {
          const recipient = newAccount()
          const payment = yield* signed(refund(fixture, recipient, { order: nth + 1 }))
          const before = exchange.sent().length
          yield* exchange.misbehave(fault, fault)
          yield* send(fixture, payment)
          yield* send(fixture, payment)
          yield* exchange.misbehave()
          assert.strictEqual(yield* send(fixture, payment), "accepted", fault.kind)
          assert.strictEqual(yield* send(fixture, payment), "accepted", fault.kind)
          assert.strictEqual(yield* tagOf(fixture, payment), "Included", fault.kind)
          assert.strictEqual(exchange.sent().length, before + 1, fault.kind)
          assert.strictEqual(yield* balance(recipient, native), 2_500_000n, fault.kind)
        }
      }))
  )

  it.live(
    "that expired while the exchange was away for an hour is signed again only once its nonce is used for nothing",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { balance, exchange, native, newAccount } = fixture
        const recipient = newAccount()
        const [first, second, third] = [
          yield* signed(refund(fixture, recipient, { order: 1 })),
          yield* signed(refund(fixture, recipient, { order: 2 }), 1n),
          yield* signed(refund(fixture, recipient, { order: 3 }), 2n)
        ]
        yield* exchange.misbehave({ kind: "away" }, { kind: "away" }, { kind: "away" })
        assert.strictEqual(yield* send(fixture, first), "unreachable")
        exchange.pass(60 * MINUTE)
        yield* exchange.misbehave()
        assert.strictEqual(yield* tagOf(fixture, first), "Unseen")
        // The last of the three is looked at first: those before it have expired earlier.
        for (const payment of [third, second, first]) {
          assert.strictEqual(yield* send(fixture, payment), "accepted")
          assert.strictEqual(yield* tagOf(fixture, payment), "Expired")
        }
        assert.strictEqual(yield* balance(recipient, native), 0n)
        assert.lengthOf(exchange.sent(), 3)
        assert.isTrue(exchange.sent().every(({ info }) => info.FromAccountIndex === info.ToAccountIndex))
        const again = yield* signed(refund(fixture, recipient, { order: 1 }))
        assert.strictEqual(yield* send(fixture, again), "accepted")
        assert.strictEqual(yield* balance(recipient, native), 2_500_000n)
      }))
  )

  it.live(
    "is not given up while the exchange calls it failed or rejected, until it has expired by a margin",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { balance, exchange, native, newAccount } = fixture
        for (const [nth, status] of [FAILED, REJECTED].entries()) {
          const recipient = newAccount()
          const payment = yield* signed(refund(fixture, recipient, { order: nth + 1 }))
          exchange.hold(true)
          yield* send(fixture, payment)
          assert.strictEqual(yield* tagOf(fixture, payment), "Pending")
          exchange.settle(payment.transactionId, status)
          exchange.pass(LIFETIME_MS + EXPIRY_MARGIN_MS - MINUTE)
          assert.strictEqual(yield* tagOf(fixture, payment), "Pending")
          exchange.pass(2 * MINUTE)
          assert.strictEqual(yield* tagOf(fixture, payment), "Expired")
          exchange.hold(false)
          const before = exchange.sent().length
          assert.strictEqual(yield* send(fixture, payment), "accepted")
          assert.strictEqual(exchange.sent().length, before)
          assert.strictEqual(yield* balance(recipient, native), 0n)
        }
      }))
  )

  it.live(
    "that the sequencer dropped, although the exchange had taken it, is sent again, and later ones of its key with it",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, exchange, native, newAccount } = fixture
        const recipient = newAccount()
        const [first, second] = [
          yield* signed(refund(fixture, recipient, { order: 1 })),
          yield* signed(refund(fixture, recipient, { order: 2 }), 1n)
        ]
        exchange.hold(true)
        yield* send(fixture, first)
        exchange.drop(first.transactionId)
        exchange.hold(false)
        assert.strictEqual(yield* send(fixture, second), "accepted")
        assert.strictEqual(yield* tagOf(fixture, second), "Unseen")
        assert.strictEqual(yield* tagOf(fixture, first), "Unseen")
        yield* send(fixture, first)
        yield* send(fixture, second)
        assert.strictEqual(yield* tagOf(fixture, second), "Included")
        assert.strictEqual(yield* balance(recipient, native), 5_000_000n)
      }))
  )

  it.live(
    "is made by any of the API keys, each with nonces of its own, so that none waits for another's",
    on(1, (fixture) =>
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
    "counts as executed, taken or dead only when the quorum says so",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount } = fixture
        const lie = (questions: ReadonlyArray<string>, tell: (answer: unknown) => unknown): ExchangeFault => ({
          kind: "lie",
          questions,
          tell
        })
        const missing = { code: 21_500, message: "transaction not found" }
        const lies = [
          lie(["tx"], () => missing),
          lie(["tx", "accountTxs"], () => missing),
          lie(["nextNonce"], () => ({ nonce: 90 })),
          lie(["root"], () => ({ timestamp: Math.floor(exchange.now() / 1_000) + 90_000 }))
        ]
        const made = yield* signed(refund(fixture, newAccount(), { order: 2 }))
        assert.strictEqual(yield* send(fixture, made), "accepted")
        const open = yield* signed(refund(fixture, newAccount(), { order: 1 }))
        for (const each of lies) {
          for (const nth of [0, 1, 2]) {
            yield* exchange.misbehave(...[0, 1, 2].map((endpoint) => endpoint === nth ? each : undefined))
            assert.isTrue(["Unseen", "Pending"].includes(yield* tagOf(fixture, open)))
            assert.strictEqual(yield* tagOf(fixture, made), "Included")
          }
        }
      }))
  )

  it.live(
    "is signed under no nonce and no time that only one endpoint shows",
    on(3, (fixture) =>
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
    on(1, (fixture) =>
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
    on(3, (fixture) =>
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
    on(1, (fixture) =>
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
    on(1, (fixture) =>
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
    on(1, (fixture) =>
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
    "that all endpoints refuse for what it is loses its nonce, so that its API key is free, and is not signed again",
    on(2, (fixture) =>
      Effect.gen(function*() {
        const { balance, exchange, native, newAccount } = fixture
        const recipient = newAccount()
        const payment = yield* signed(refund(fixture, recipient))
        // The exchange has raised the least since.
        exchange.ask(3, 5_000_000)
        for (const _ of [1, 2, 3, 4, 5]) {
          assert.strictEqual(yield* send(fixture, payment), "refused")
          assert.strictEqual(yield* tagOf(fixture, payment), "Unseen")
        }
        assert.strictEqual(yield* refusalOf(refund(fixture, recipient, { order: 2 })), "prepared")
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        assert.strictEqual(yield* tagOf(fixture, payment), "Expired")
        // The same payment: refused now, although nothing that can be read says so.
        assert.strictEqual(yield* refusalOf(refund(fixture, recipient)), "reverts")
        exchange.ask(3, 0)
        assert.strictEqual(yield* refusalOf(refund(fixture, recipient)), "reverts")
        const next = yield* signed(refund(fixture, recipient, { order: 2 }))
        assert.strictEqual(yield* send(fixture, next), "accepted")
        assert.strictEqual(yield* tagOf(fixture, next), "Included")
        assert.strictEqual(yield* balance(recipient, native), 2_500_000n)
        assert.deepStrictEqual(exchange.sent().map(({ info }) => [info.ApiKeyIndex, info.Nonce]), [[4, 0], [4, 1]])
      }))
  )

  it.live(
    "is signed again with the exchange's fee once that was raised, and waits while an endpoint says that it has it",
    on(2, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount } = fixture
        const payment = yield* signed(refund(fixture, newAccount()))
        exchange.charge(Number(FEE) + 1)
        for (const _ of [1, 2, 3, 4, 5]) assert.strictEqual(yield* send(fixture, payment), "refused")
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        assert.strictEqual(yield* tagOf(fixture, payment), "Expired")
        const again = yield* signed(refund(fixture, newAccount()))
        exchange.charge(Number(FEE) + 2)
        const takes = { code: 200, tx_hash: again.transactionId }
        yield* exchange.misbehave(undefined, { kind: "lie", tell: () => takes, questions: ["sendTx"] })
        assert.strictEqual(yield* send(fixture, again), "accepted")
        exchange.charge(Number(FEE) + 1)
        yield* exchange.misbehave()
        assert.strictEqual(yield* send(fixture, again), "accepted")
        assert.strictEqual(yield* tagOf(fixture, again), "Included")
      }))
  )

  it.live(
    "keeps its nonce while payments before it wait, or while an endpoint does not refuse it for what it is",
    on(2, (fixture) =>
      Effect.gen(function*() {
        const { exchange, newAccount } = fixture
        const [first, second] = [
          yield* signed(refund(fixture, newAccount(), { order: 1 })),
          yield* signed(refund(fixture, newAccount(), { order: 2 }), 1n)
        ]
        const refusing = (code: number): ExchangeFault => ({
          kind: "lie",
          tell: () => ({ code, message: "" }),
          questions: ["sendTx"]
        })
        exchange.ask(3, 5_000_000)
        const sends = (payment: SignedPayment) => Effect.replicateEffect(send(fixture, payment), 8)
        for (const [one, other] of [[21_118, 20_558], [21_118, 21_134], [20_001, 20_001]] as const) {
          yield* exchange.misbehave(refusing(one), refusing(other))
          assert.deepStrictEqual(new Set(yield* sends(first)), new Set(["refused"]))
        }
        yield* exchange.misbehave(refusing(21_118), refusing(21_118))
        yield* sends(second)
        yield* exchange.misbehave()
        exchange.ask(3, 0)
        assert.lengthOf(exchange.sent(), 0)
        for (const payment of [first, second]) {
          assert.strictEqual(yield* send(fixture, payment), "accepted")
          assert.strictEqual(yield* tagOf(fixture, payment), "Included")
        }
      }))
  )

  it.live(
    "leaves a cent on perps, so that nonces can be used up",
    on(1, (fixture) =>
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
    on(1, (fixture) =>
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
    on(1, (fixture) =>
      Effect.gen(function*() {
        fixture.state.isSigning = false
        const refused = yield* Effect.result(signed(refund(fixture, fixture.newAccount())))
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "SignerUnavailable")
      }))
  )
})

describe("what the solver has sent on exchange B", () => {
  it.live(
    "is complete, with every nonce of each API key, those of rejected payments among them",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { chain, exchange, newAccount } = fixture
        const recipient = newAccount()
        const sent = yield* SentTransactions
        const [lane] = sent.accountsOn(chain)
        const paid = yield* signed(refund(fixture, recipient, { order: 1 }))
        yield* send(fixture, paid)
        exchange.hold(true)
        const rejected = yield* signed(refund(fixture, recipient, { order: 2 }))
        yield* send(fixture, rejected)
        const head = () => BigInt(Math.floor(exchange.now() / SECOND)) - 1n
        exchange.pass(MINUTE)
        // It may still be executed, so nobody says yet what the account has sent.
        const early = yield* Effect.flip(sent.between(chain, 0n, head(), "quorum"))
        assert.strictEqual(early._tag, "ChainUnavailable")
        exchange.settle(rejected.transactionId, REJECTED)
        exchange.hold(false)
        exchange.pass(LONG)
        yield* sent.useUp(chain, lane, 2n)
        exchange.pass(MINUTE)
        const listed = yield* sent.between(chain, 0n, head(), "quorum")
        assert.deepStrictEqual(
          listed.map(({ account, movesNothing, payment, sequence, succeeded }) => [
            account,
            sequence,
            succeeded,
            payment?.orderId,
            movesNothing
          ]),
          [
            [lane, 0n, true, orderOf(1), false],
            [lane, 1n, false, undefined, true],
            [lane, 2n, true, undefined, true]
          ]
        )
        assert.strictEqual((yield* sent.position(chain, lane, "quorum")).sequence, 3n)
      }))
  )

  it.live(
    "hides nothing and invents nothing by one endpoint alone",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { chain, exchange, newAccount } = fixture
        const recipient = newAccount()
        const payments = yield* Effect.forEach([1, 2, 3], (order) =>
          Effect.gen(function*() {
            const payment = yield* signed(refund(fixture, recipient, { order }))
            yield* send(fixture, payment)
            return payment.transactionId
          }))
        exchange.pass(MINUTE)
        const head = BigInt(Math.floor(exchange.now() / SECOND)) - 1n
        const sent = yield* SentTransactions
        const lies: ReadonlyArray<ExchangeFault> = [
          { kind: "lie", questions: ["accountTxs"], tell: () => ({ txs: [] }) },
          { kind: "lie", questions: ["tx"], tell: () => ({ code: 21_500, message: "transaction not found" }) },
          { kind: "lie", questions: ["nextNonce"], tell: () => ({ nonce: 0 }) },
          { kind: "status", status: 500 }
        ]
        for (const [nth, each] of lies.entries()) {
          yield* exchange.misbehave(...[0, 1, 2].map((endpoint) => endpoint === nth % 3 ? each : undefined))
          const listed = yield* sent.between(chain, 0n, head, "quorum")
          assert.deepStrictEqual(new Set(listed.map(({ transactionId }) => transactionId)), new Set(payments))
          assert.strictEqual((yield* sent.position(chain, sent.accountsOn(chain)[0], "quorum")).finalSequence, 3n)
        }
      }))
  )
})
