/** The solver's payments on exchange A, against the simulated exchange: each is made once, whatever the exchange does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { USDC } from "../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import type { FillPayment, PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { writeDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { KEPT_ON_PERPS } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { isOwnMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { FUNDS, newAccount, startPayingExchangeA, TOKEN } from "../testing/PayingExchangeA.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The fee for a new account, smallest units. */
const FEE = 100_000_000n

const orderOf = (n: number): OrderId => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)

type Fixture = Effect.Success<ReturnType<typeof startPayingExchangeA>>

/** A test over that many endpoints. */
const on = <E>(
  hosts: number,
  body: (fixture: Fixture) => Effect.Effect<void, E, Gas | SentTransactions | Treasury>
) =>
() =>
  Effect.scoped(Effect.flatMap(startPayingExchangeA(hosts), (fixture) => Effect.provide(body(fixture), fixture.ports)))

const refund = (
  { chain, native }: Fixture,
  recipient: Address,
  { amount = 250_000_000n, currency = native, order = 1 }: {
    readonly amount?: bigint
    readonly currency?: Currency
    readonly order?: number
  } = {}
): PlainPayment => ({ _tag: "Refund", chain, currency, recipient, amount, orderId: orderOf(order) })

const prepared = (payment: PlainPayment | FillPayment) => Effect.flatMap(Treasury, ({ prepare }) => prepare(payment))

/** Signed under the next nonce, or a later one. */
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

const submissionsOf = ({ book, solver }: Fixture) => book.ofAccount(solver.account).length

describe("a payment on exchange A", () => {
  it.live(
    "pays the recipient exactly, on perps and on spot, and its fee for a new account is the solver's",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, native, solver, spotUsdc, token } = fixture
        const gas = yield* Gas
        book.credit(solver.account, "spot", FUNDS)
        for (const [nth, currency] of [native, token, spotUsdc].entries()) {
          const recipient = newAccount()
          const payment = refund(fixture, recipient, { currency, order: nth + 1, amount: 12_300n })
          assert.strictEqual(yield* gas.ofPayment(payment), FEE)
          const first = yield* signed(payment)
          assert.strictEqual(yield* send(fixture, first), "accepted")
          const outcome = yield* outcomeOf(fixture, first)
          assert.deepInclude(outcome, { _tag: "Included", succeeded: true, final: true, gasPaid: FEE })
          assert.strictEqual(yield* balance(recipient, currency), 12_300n)
          // The account exists now.
          assert.strictEqual(yield* gas.ofPayment(payment), 0n)
        }
        // Three new accounts, of which the exchange took the fee where the payment came from, if there was any USDC.
        const left = (yield* balance(solver.account, native)) + (yield* balance(solver.account, spotUsdc))
        assert.strictEqual(left, 2n * FUNDS - 3n * FEE - 2n * 12_300n)
      }))
  )

  it.live(
    "is signed under the exchange's clock, whatever the time is here, and in another nonce each time",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { book } = fixture
        for (const apart of [HOUR, 26 * HOUR]) {
          book.pass(apart)
          const before = book.now()
          const payment = refund(fixture, newAccount())
          const { chainSequence, sign } = yield* prepared(payment)
          assert.isTrue(chainSequence >= BigInt(before) && chainSequence <= BigInt(book.now()))
          const [one, other] = [yield* sign(chainSequence, []), yield* sign(chainSequence + 1n, [])]
          assert.notStrictEqual(one.transactionId, other.transactionId)
          assert.strictEqual(yield* send(fixture, one), "accepted")
          assert.strictEqual((yield* outcomeOf(fixture, one))._tag, "Included")
        }
      }))
  )

  it.live(
    "has its mapping before it is sent, with a time that oracles take although this machine's clock is apart",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { book, chain, exchange, kept, oracle } = fixture
        book.pass(-3 * HOUR)
        const recipient = newAccount()
        const payment = yield* signed(refund(fixture, recipient, { order: 7 }))
        assert.strictEqual(kept.size, 0)
        yield* exchange.misbehave({ kind: "away" })
        yield* send(fixture, payment)
        assert.strictEqual(submissionsOf(fixture), 0)
        const [mapping] = [...kept.values()]
        assert.strictEqual(mapping?.id, orderOf(7))
        yield* exchange.misbehave(undefined)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        const outcome = yield* outcomeOf(fixture, payment)
        assert(outcome._tag === "Included")
        // As an oracle sees it, by the exchange's transaction.
        const [attested] = yield* Effect.provide(
          Effect.flatMap(ChainObserver, ({ observe }) => observe(chain, [outcome.transactionId])),
          oracle
        )
        assert(attested?._tag === "Transaction")
        assert.deepStrictEqual(attested.orderIds, [orderOf(7)])
        assert.deepInclude(attested.payments[0], { recipient, amount: 250_000_000n })
      }))
  )

  it.live(
    "is not sent when its nonce is mapped to another order for ever",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { kept } = fixture
        const { chainSequence, sign } = yield* prepared(refund(fixture, newAccount(), { order: 1 }))
        const other = yield* prepared(refund(fixture, newAccount(), { order: 2 }))
        assert.strictEqual(yield* send(fixture, yield* sign(chainSequence, [])), "accepted")
        const second = yield* other.sign(chainSequence, [])
        assert.strictEqual(yield* send(fixture, second), "misconfigured")
        assert.strictEqual(submissionsOf(fixture), 1)
        assert.strictEqual(kept.get(chainSequence)?.id, orderOf(1))
        // The first has its nonce, so that this one can never be executed.
        assert.strictEqual((yield* outcomeOf(fixture, second))._tag, "Superseded")
      }))
  )

  it.live(
    "is submitted once although the exchange answers late, breaks off, limits, fails, takes nothing, or is away for an hour",
    on(2, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, exchange, native } = fixture
        const asked = ["exchange"]
        const faults: ReadonlyArray<ExchangeFault> = [
          { kind: "down", questions: asked },
          { kind: "status", status: 429, questions: asked },
          { kind: "status", status: 500, questions: asked },
          { kind: "delay", milliseconds: 50 },
          { kind: "away", questions: asked },
          { kind: "away" }
        ]
        for (const [nth, fault] of faults.entries()) {
          const recipient = newAccount()
          const payment = yield* signed(refund(fixture, recipient, { order: nth + 1 }))
          const before = submissionsOf(fixture)
          yield* exchange.misbehave(fault, fault)
          yield* send(fixture, payment)
          yield* send(fixture, payment)
          book.pass(HOUR)
          yield* exchange.misbehave()
          assert.strictEqual(yield* send(fixture, payment), "accepted", fault.kind)
          assert.strictEqual(yield* send(fixture, payment), "accepted", fault.kind)
          assert.strictEqual((yield* outcomeOf(fixture, payment))._tag, "Included", fault.kind)
          assert.strictEqual(submissionsOf(fixture), before + 1, fault.kind)
          assert.strictEqual(yield* balance(recipient, native), 250_000_000n, fault.kind)
        }
      }))
  )

  it.live(
    "is not paid again by bytes that the exchange has forgotten, with the nonces of an account that somebody emptied",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, native, solver } = fixture
        const recipient = newAccount()
        const payment = yield* signed(refund(fixture, recipient))
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        for (const [nth, { dex, token }] of [{ dex: "spot", token: TOKEN }, { dex: "", token: USDC }].entries()) {
          const error = book.submit({
            signer: solver.account,
            nonce: `${book.now() + nth}`,
            destination: recipient,
            from: dex,
            to: "spot",
            token: `${token.name}:${token.tokenId}`,
            amount: writeDecimal(book.balance(solver.account, dex, token), token.weiDecimals),
            shown: {}
          })
          assert.isUndefined(error)
        }
        assert.isFalse(book.exists(solver.account))
        book.credit(solver.account, "", FUNDS)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        assert.strictEqual(yield* balance(recipient, native), 250_000_000n)
        assert.strictEqual((yield* outcomeOf(fixture, payment))._tag, "Included")
      }))
  )

  it.live(
    "counts as executed, taken or dead only when the quorum says so",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { book, exchange } = fixture
        const ledger = ["userNonFundingLedgerUpdates"]
        const hides: ExchangeFault = { kind: "lie", questions: ledger, tell: () => [] }
        const ahead: ExchangeFault = {
          kind: "lie",
          questions: ["exchangeStatus"],
          tell: () => ({ time: book.now() + 9 * DAY, specialStatuses: null })
        }
        const open = yield* signed(refund(fixture, newAccount(), { order: 1 }))
        const made = yield* signed(refund(fixture, newAccount(), { order: 2 }), 1n)
        assert.strictEqual(yield* send(fixture, made), "accepted")
        for (const lie of [hides, ahead]) {
          for (const nth of [0, 1, 2]) {
            yield* exchange.misbehave(...[0, 1, 2].map((each) => each === nth ? lie : undefined))
            assert.strictEqual((yield* outcomeOf(fixture, open))._tag, "Unseen")
            assert.strictEqual((yield* outcomeOf(fixture, made))._tag, "Included")
          }
        }
        book.pass(2 * DAY + 2 * HOUR)
        assert.strictEqual((yield* outcomeOf(fixture, open))._tag, "Expired")
        yield* exchange.misbehave(hides)
        assert.strictEqual((yield* outcomeOf(fixture, made))._tag, "Included")
        // The exchange takes the dead one no more.
        yield* exchange.misbehave()
        const before = submissionsOf(fixture)
        assert.strictEqual(yield* send(fixture, open), "accepted")
        assert.strictEqual(submissionsOf(fixture), before)
      }))
  )

  it.live(
    "is signed under no clock that only one endpoint shows",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { book, exchange } = fixture
        yield* exchange.misbehave({
          kind: "lie",
          questions: ["exchangeStatus"],
          tell: () => ({ time: book.now() + 20 * HOUR, specialStatuses: null })
        })
        const { chainSequence } = yield* prepared(refund(fixture, newAccount()))
        assert.isTrue(chainSequence <= BigInt(book.now()))
      }))
  )

  it.live(
    "is not signed far ahead of the exchange's clock, where it could be executed after it counts as dead",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { chainSequence, sign } = yield* prepared(refund(fixture, newAccount()))
        yield* sign(chainSequence + 5_000n, [])
        const refused = yield* Effect.result(sign(chainSequence + 5_001n, []))
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "SignerUnavailable")
      }))
  )

  it.live(
    "leaves the account a balance, so that the exchange never forgets its nonces",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { book, chain, native, solver, token } = fixture
        const recipient = newAccount()
        book.credit(recipient, "", 1n)
        const treasury = yield* Treasury
        const [most] = yield* treasury.inventory(chain, native, "account")
        assert.strictEqual(most, FUNDS - KEPT_ON_PERPS)
        const all = refund(fixture, recipient, { amount: most ?? 0n })
        assert.strictEqual(yield* refusalOf({ ...all, amount: all.amount + 100n }), "insufficient-funds")
        assert.strictEqual(yield* send(fixture, yield* signed(all)), "accepted")
        assert.strictEqual(book.balance(solver.account, ""), KEPT_ON_PERPS)
        // All of the token can go, because USDC stays; without any on perps, none of it.
        const tokens = refund(fixture, recipient, { currency: token, amount: FUNDS, order: 2 })
        assert.strictEqual(yield* refusalOf(tokens), "prepared")
        book.credit(solver.account, "", -100n)
        assert.strictEqual(yield* refusalOf(tokens), "insufficient-funds")
      }))
  )

  it.live(
    "is refused where the exchange cannot move it exactly, to the solver itself, and to the depository",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { chain, solver, spotUsdc, book } = fixture
        const recipient = newAccount()
        assert.strictEqual(yield* refusalOf(refund(fixture, recipient, { amount: 250_000_001n })), "reverts")
        assert.strictEqual(yield* refusalOf(refund(fixture, solver.account)), "reverts")
        assert.strictEqual(yield* refusalOf(refund(fixture, chain.depository)), "reverts")
        book.credit(solver.account, "spot", FUNDS)
        assert.strictEqual(
          yield* refusalOf(refund(fixture, recipient, { currency: spotUsdc, amount: 250_000_001n })),
          "prepared"
        )
      }))
  )

  it.live(
    "is reported when the account cannot pay, and is made once it can, under a new nonce only after its own is dead",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, chain, exchange, native, solver } = fixture
        const recipient = newAccount()
        const payment = yield* signed(refund(fixture, recipient, { amount: 90_000_000_000n }))
        book.credit(solver.account, "", -50_000_000_000n)
        assert.strictEqual(yield* send(fixture, payment), "unfunded")
        book.credit(solver.account, "", 50_000_000_000n)
        // The exchange has used the nonce for the refused transfer. For a while nobody asks it again.
        const before = submissionsOf(fixture)
        yield* exchange.misbehave({ kind: "away" })
        assert.strictEqual(yield* send(fixture, payment), "unfunded")
        const { outcome } = yield* Treasury
        assert.strictEqual((yield* outcome(chain, [payment], "endpoint"))._tag, "Pending")
        yield* exchange.misbehave()
        assert.strictEqual(submissionsOf(fixture), before)
        assert.strictEqual((yield* outcomeOf(fixture, payment))._tag, "Unseen")
        book.pass(2 * DAY + 2 * HOUR)
        assert.strictEqual((yield* outcomeOf(fixture, payment))._tag, "Expired")
        assert.strictEqual(yield* send(fixture, yield* signed(refund(fixture, recipient))), "accepted")
        assert.strictEqual(yield* balance(recipient, native), 250_000_000n)
      }))
  )

  it.live(
    "that is refused in words that nobody knows is for a while neither sent again nor looked for",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { book, chain, exchange, solver } = fixture
        const payment = yield* signed(refund(fixture, newAccount(), { amount: 90_000_000_000n }))
        book.credit(solver.account, "", -50_000_000_000n)
        const tell = () => ({ status: "err", response: "Action disabled when unified account is active" })
        yield* exchange.misbehave({ kind: "lie", questions: ["exchange"], tell })
        assert.strictEqual(yield* send(fixture, payment), "refused")
        // Whoever asked an endpoint now would fail otherwise.
        yield* exchange.misbehave({ kind: "away" })
        assert.strictEqual(yield* send(fixture, payment), "refused")
        const { outcome } = yield* Treasury
        assert.strictEqual((yield* outcome(chain, [payment], "endpoint"))._tag, "Pending")
      }))
  )

  it.live(
    "is not signed while the signer refuses, and leaves nothing behind",
    on(1, (fixture) =>
      Effect.gen(function*() {
        fixture.state.isSigning = false
        const refused = yield* Effect.result(signed(refund(fixture, newAccount())))
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "SignerUnavailable")
        assert.strictEqual(fixture.kept.size, 0)
      }))
  )
})

describe("what the solver has sent on exchange A", () => {
  /** Uses nonces up as a restoration does, in turns of sixteen and a second, until the fence is passed. */
  const fenceOff = Effect.fnUntraced(function*({ book, chain, solver }: Fixture) {
    const sent = yield* SentTransactions
    const { pendingSequence: fence } = yield* sent.position(chain, solver.account, "quorum")
    for (let turns = 0;; turns += 1) {
      const { finalSequence, sequence } = yield* sent.position(chain, solver.account, "quorum")
      if (finalSequence >= fence) return turns
      for (let next = sequence; next < fence && next < sequence + 16n; next += 1n) {
        yield* sent.useUp(chain, solver.account, next)
      }
      book.pass(1_000)
    }
  })

  it.live(
    "is complete after a hundred nonces were used up: what was signed before is executed no more",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, chain, native, solver } = fixture
        const recipient = newAccount()
        // Several in one moment: the last one's nonce is ahead of the clock.
        const lost = yield* signed(refund(fixture, recipient), 4_000n)
        assert.isAtMost(yield* fenceOff(fixture), 20)
        assert.strictEqual((yield* outcomeOf(fixture, lost))._tag, "Expired")
        assert.strictEqual(yield* send(fixture, lost), "accepted")
        assert.strictEqual(yield* balance(recipient, native), 0n)
        const sent = yield* SentTransactions
        const head = BigInt(Math.floor(book.now() / 1_000))
        const listed = yield* sent.between(chain, head - 3_600n, head, "quorum")
        assert.isTrue(listed.length >= 100 && listed.every(({ movesNothing }) => movesNothing))
        const moved = book.balance(solver.account, "") + book.balance(solver.account, "spot")
        assert.strictEqual(moved, FUNDS)
        // The clock has passed those nonces, so that the next payment is taken.
        assert.strictEqual(yield* send(fixture, yield* signed(refund(fixture, recipient))), "accepted")
        assert.strictEqual(yield* balance(recipient, native), 250_000_000n)
      }))
  )

  it.live(
    "is listed with the order of each transfer, also where its mapping is lost and made again",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { book, chain, exchange, kept, token } = fixture
        const sent = yield* SentTransactions
        const recipient = newAccount()
        const made = yield* signed(refund(fixture, recipient, { currency: token, amount: 700n, order: 9 }))
        assert.strictEqual(yield* send(fixture, made), "accepted")
        const head = BigInt(Math.floor(book.now() / 1_000))
        const range = [head - 60n, head + 60n] as const
        for (const hiding of [0, 1, 2]) {
          yield* exchange.misbehave(...[0, 1, 2].map((each): ExchangeFault | undefined =>
            each === hiding ? { kind: "lie", questions: ["userNonFundingLedgerUpdates"], tell: () => [] } : undefined
          ))
          const [one, another] = yield* sent.between(chain, ...range, "quorum")
          assert.isUndefined(another)
          assert.strictEqual(one?.signedAs, made.transactionId)
          assert.deepStrictEqual(one?.payment, {
            orderId: orderOf(9),
            recipient,
            currency: token.address,
            amount: 700n
          })
        }
        yield* exchange.misbehave()
        // As in a store that was restored from a backup.
        kept.clear()
        const [shown] = yield* sent.between(chain, ...range, "quorum")
        assert(shown?.nameless !== undefined)
        assert.isUndefined(shown.payment)
        assert.deepInclude(shown.nameless, { recipient, currency: token.address, amount: 700n })
        const again = yield* shown.nameless.nameIt(orderOf(9))
        assert.strictEqual(again.payment?.orderId, orderOf(9))
        const [named] = yield* sent.between(chain, ...range, "quorum")
        assert.deepStrictEqual(named?.payment, again.payment)
        assert.isTrue([...kept.values()].every((mapping) =>
          isOwnMapping(mapping)
        ))
      }))
  )
})
