/** What becomes of the solver's signed payments on the simulated exchange B: each is made once, whatever the exchange does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { FAILED, REJECTED } from "../../../hosts/localnet/nodes/exchange-b/node/State.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import { EXPIRY_MARGIN_MS, LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { FEE } from "../testing/PayingExchangeB.ts"
import { MINUTE, onExchange, orderOf, refund, refusalOf, SECOND, send, signed, tagOf } from "../testing/PaymentSteps.ts"

/** After it, what has expired is dead. */
const LONG = LIFETIME_MS + EXPIRY_MARGIN_MS + MINUTE

describe("a signed payment on exchange B", () => {
  it.live(
    "expires by the exchange's clock, whatever the time is here",
    onExchange(1, (fixture) =>
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
    onExchange(2, (fixture) =>
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
    onExchange(3, (fixture) =>
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
    onExchange(3, (fixture) =>
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
    onExchange(1, (fixture) =>
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
    "counts as executed, taken or dead only when the quorum says so",
    onExchange(3, (fixture) =>
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
    "that all endpoints refuse for what it is loses its nonce, so that its API key is free, and is not signed again",
    onExchange(2, (fixture) =>
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
    onExchange(2, (fixture) =>
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
    onExchange(2, (fixture) =>
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
})

describe("what the solver has sent on exchange B", () => {
  it.live(
    "is complete, with every nonce of each API key, those of rejected payments among them",
    onExchange(3, (fixture) =>
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
    onExchange(3, (fixture) =>
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
