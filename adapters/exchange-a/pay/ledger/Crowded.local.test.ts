/**
 * Payments of an account on exchange A whose ledger strangers fill with dust, against the simulated exchange: they go
 * out, they are recognised, and none is paid twice (EXCHANGEA-35).
 */
import { assert, describe, it } from "@effect/vitest"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import type { ExchangeFault } from "../../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { ACTIVATION_FEE } from "../../../../hosts/localnet/nodes/exchange-a/node/Book.ts"
import { USDC } from "../../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import type { PlainPayment } from "../../../../ports/chain/PaymentKinds.ts"
import { SentTransactions } from "../../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { SignedPayment } from "../../../../ports/chain/Treasury.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { dust, stranger } from "../../testing/Dust.ts"
import { newAccount, startPayingExchangeA, TOKEN } from "../../testing/PayingExchangeA.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The fee for a new account, smallest units. */
const FEE = ACTIVATION_FEE
const AMOUNT = 250_000_000n
const ORDER = OrderId.make(`0x${"07".repeat(32)}`)

type Fixture = Effect.Success<ReturnType<typeof startPayingExchangeA>>

/** A test over that many endpoints, whose exchange's clock stands unless the test moves it. */
const on = <E>(
  hosts: number,
  body: (fixture: Fixture) => Effect.Effect<void, E, SentTransactions | Treasury>,
  weightPerMinute?: number
) =>
() =>
  Effect.scoped(Effect.gen(function*() {
    const fixture = yield* startPayingExchangeA(hosts, weightPerMinute)
    fixture.book.hold()
    yield* Effect.provide(body(fixture), fixture.ports)
  }))

const signed = ({ chain, native }: Fixture, recipient: Address) => {
  const payment: PlainPayment = { _tag: "Refund", chain, currency: native, recipient, amount: AMOUNT, orderId: ORDER }
  return Effect.flatMap(
    Treasury,
    ({ prepare }) => Effect.flatMap(prepare(payment), ({ chainSequence, sign }) => sign(chainSequence, []))
  )
}

const send = ({ chain }: Fixture, payment: SignedPayment) =>
  Effect.flatMap(
    Treasury,
    ({ broadcast }) =>
      Effect.match(broadcast(chain, payment), { onFailure: ({ kind }) => kind, onSuccess: (said) => said })
  )

const outcomeOf = ({ chain }: Fixture, payment: SignedPayment) =>
  Effect.flatMap(
    Treasury,
    ({ outcome }) =>
      Effect.match(outcome(chain, [payment], "quorum"), { onFailure: ({ kind }) => kind, onSuccess: (said) => said })
  )

const tagOf = (fixture: Fixture, payment: SignedPayment) =>
  Effect.map(outcomeOf(fixture, payment), (said) => typeof said === "string" ? said : said._tag)

const on3 = (fault: ExchangeFault, which: ReadonlyArray<number>) =>
  [0, 1, 2].map((nth) => which.includes(nth) ? fault : undefined)

const nonceOf = (action: object): number => "nonce" in action ? Number(action.nonce) : 0

const sentBy = (tx: unknown, account: Address): boolean =>
  typeof tx === "object" && tx !== null && "user" in tx && tx.user === account

/** An explorer's answer without what the account has sent. `numTxs`: whether it says how many it shows, or had. */
const withoutThoseOf = (account: Address, numTxs: "fits" | "stays" = "fits") => (answer: unknown): unknown => {
  if (typeof answer !== "object" || answer === null) return answer
  if ("blockDetails" in answer) return { ...answer, blockDetails: withoutThoseOf(account, numTxs)(answer.blockDetails) }
  if (!("txs" in answer) || !Array.isArray(answer.txs)) return answer
  const txs = answer.txs.filter((tx) => !sentBy(tx, account))
  return { ...answer, txs, ...("numTxs" in answer && numTxs === "fits" ? { numTxs: txs.length } : {}) }
}

describe("a payment on exchange A while strangers fill the account's ledger", () => {
  it.live(
    "goes out and is recognised although the unmodified client has filled the millisecond before it, and its own",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, exchange: { urls: [url = ""] }, native, solver } = fixture
        const wallet = privateKeyToAccount(`0x${"a1".repeat(32)}`)
        book.credit(wallet.address, "", 1_000_000n)
        let nonce = book.now()
        const client = new ExchangeClient({
          transport: new HttpTransport({ apiUrl: url, timeout: 60_000 }),
          wallet,
          nonceManager: () => nonce += 1
        })
        for (let nth = 0; nth < 501; nth += 1) {
          yield* Effect.promise(() =>
            client.sendAsset({
              destination: solver.account,
              sourceDex: "",
              destinationDex: "",
              token: `USDC:${USDC.tokenId}`,
              amount: "0.000001",
              fromSubAccount: ""
            })
          )
        }
        book.pass(1)
        const recipient = newAccount()
        const payment = yield* signed(fixture, recipient)
        dust(book, solver.account, 501)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        dust(book, solver.account, 501)
        book.pass(1)
        dust(book, solver.account, 501)
        assert.strictEqual(yield* balance(recipient, native), AMOUNT)
        const outcome = yield* outcomeOf(fixture, payment)
        assert(typeof outcome !== "string")
        assert.deepInclude(outcome, { _tag: "Included", succeeded: true, final: true, gasPaid: FEE })
        // It is paid once.
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        assert.lengthOf(book.ofAccount(solver.account), 1)
      }))
  )

  it.live(
    "is found in a full millisecond when the explorer's list has passed it, and is not taken for dead without the explorer",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { book, exchange, solver } = fixture
        const recipient = newAccount()
        dust(book, solver.account, 501)
        const payment = yield* signed(fixture, recipient)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        // More than the explorer lists, with higher nonces.
        book.pass(1)
        dust(book, recipient, 301, solver.account)
        book.pass(2 * DAY + 3 * HOUR)
        const away: ReadonlyArray<ExchangeFault> = [
          { kind: "away", questions: ["blockDetails"] },
          // As one that has not come so far.
          { kind: "lie", questions: ["blockDetails"], tell: () => ({ type: "error", message: "Block not found" }) },
          { kind: "lie", questions: ["txDetails"], tell: () => ({ type: "error", message: "Transaction not found" }) },
          // As one that cuts long blocks off.
          { kind: "lie", questions: ["blockDetails"], tell: withoutThoseOf(solver.account, "stays") },
          // As one whose ledger is of other blocks than its explorer.
          { kind: "lie", questions: ["blockDetails"], tell: withoutThoseOf(stranger) },
          { kind: "status", status: 429, questions: ["blockDetails", "txDetails", "userDetails"] }
        ]
        for (const fault of away) {
          yield* exchange.misbehave(...on3(fault, [0, 1, 2]))
          const tag = yield* tagOf(fixture, payment)
          assert.notInclude(["Expired", "Superseded", "Included"], tag)
        }
        yield* exchange.misbehave()
        const outcome = yield* outcomeOf(fixture, payment)
        assert(typeof outcome !== "string")
        assert.deepInclude(outcome, { _tag: "Included", gasPaid: FEE })
      }))
  )

  for (const liar of [0, 1, 2]) {
    it.live(
      `is found there although the explorer of endpoint ${liar} leaves it out`,
      on(3, (fixture) =>
        Effect.gen(function*() {
          const { book, exchange, solver } = fixture
          const recipient = newAccount()
          dust(book, solver.account, 501)
          const payment = yield* signed(fixture, recipient)
          assert.strictEqual(yield* send(fixture, payment), "accepted")
          book.pass(1)
          dust(book, recipient, 301, solver.account)
          book.pass(2 * DAY + 3 * HOUR)
          const omits: ExchangeFault = {
            kind: "lie",
            questions: ["blockDetails", "userDetails"],
            tell: withoutThoseOf(solver.account)
          }
          yield* exchange.misbehave(...on3(omits, [liar]))
          assert.strictEqual(yield* tagOf(fixture, payment), "Included")
        }))
    )
  }

  it.live(
    "is dead when it was not executed, and is then paid once under another nonce",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, native, solver } = fixture
        const recipient = newAccount()
        dust(book, solver.account, 501)
        const payment = yield* signed(fixture, recipient)
        book.pass(1)
        dust(book, solver.account, 501)
        assert.strictEqual(yield* tagOf(fixture, payment), "Unseen")
        book.pass(2 * DAY + 3 * HOUR)
        dust(book, solver.account, 501)
        assert.strictEqual(yield* tagOf(fixture, payment), "Expired")
        const again = yield* signed(fixture, recipient)
        for (const each of [payment, again]) assert.strictEqual(yield* send(fixture, each), "accepted")
        assert.strictEqual(yield* balance(recipient, native), AMOUNT)
      }))
  )

  it.live(
    "is not paid again by bytes that the exchange has forgotten, with the nonces of an account that somebody emptied",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, native, solver } = fixture
        const recipient = newAccount()
        dust(book, solver.account, 501)
        const payment = yield* signed(fixture, recipient)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        for (const [dex, token] of [["spot", TOKEN], ["", USDC]] as const) {
          book.credit(solver.account, dex, -book.balance(solver.account, dex, token), token)
        }
        // The last unit that it sends is the one that purges it.
        book.credit(solver.account, "", 100n)
        dust(book, recipient, 1, solver.account)
        assert.isFalse(book.exists(solver.account))
        book.credit(solver.account, "", 10n * AMOUNT)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        assert.strictEqual(yield* balance(recipient, native), AMOUNT + 100n)
        assert.strictEqual(yield* tagOf(fixture, payment), "Included")
      }))
  )

  it.live(
    "is listed after a restore with its order, and the account's position is known",
    on(3, (fixture) =>
      Effect.gen(function*() {
        const { book, chain, solver } = fixture
        const recipient = newAccount()
        dust(book, solver.account, 501)
        const payment = yield* signed(fixture, recipient)
        assert.strictEqual(yield* send(fixture, payment), "accepted")
        const second = BigInt(Math.floor(book.now() / 1_000))
        book.pass(5_000)
        dust(book, recipient, 100, solver.account)
        const highest = BigInt(Math.max(...book.ofAccount(solver.account).map(({ action }) => nonceOf(action))))
        book.pass(2_000)
        const sent = yield* SentTransactions
        const { sequence } = yield* sent.position(chain, solver.account, "quorum")
        // The lowest of the hundred highest.
        assert.strictEqual(sequence, highest - 99n)
        const [found, another] = yield* sent.between(chain, second - 60n, second, "quorum")
        assert.isUndefined(another)
        assert.strictEqual(found?.signedAs, payment.transactionId)
        assert.deepInclude(found?.payment, { orderId: ORDER, recipient, amount: AMOUNT })
      }).pipe(Effect.orDie))
  )

  it.live(
    "goes out within the exchange's own limit of weights while dust comes in many milliseconds, for hours",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { balance, book, native, solver } = fixture
        for (let hour = 0; hour < 3; hour += 1) {
          // 10,000 transfers within ten minutes: twenty pages, of which some are of one millisecond.
          for (let nth = 0; nth < 20; nth += 1) {
            dust(book, solver.account, 1 + nth * 50)
            book.pass(30_000)
          }
          const recipient = newAccount()
          const payment = yield* signed(fixture, recipient)
          assert.strictEqual(yield* send(fixture, payment), "accepted")
          assert.strictEqual(yield* balance(recipient, native), AMOUNT)
          assert.strictEqual(yield* tagOf(fixture, payment), "Included")
          book.pass(HOUR)
        }
      }), 1_200)
  )

  it.live(
    "is found dead in several readings when the ledger of its two days is long, each of which goes on",
    on(1, (fixture) =>
      Effect.gen(function*() {
        const { book, exchange, solver } = fixture
        const payment = yield* signed(fixture, newAccount())
        for (let nth = 0; nth < 23; nth += 1) {
          dust(book, solver.account, 501)
          book.pass(HOUR)
        }
        book.pass(DAY + 4 * HOUR)
        let readings = 1
        while (readings < 30 && (yield* tagOf(fixture, payment)) === "behind") {
          // Until the next part nobody is asked.
          yield* exchange.misbehave({ kind: "away", questions: ["blockDetails"] })
          assert.strictEqual(yield* tagOf(fixture, payment), "behind")
          yield* exchange.misbehave()
          book.pass(120_000)
          readings += 1
        }
        // Each takes a few of the full milliseconds.
        assert.isAtLeast(readings, 3)
        assert.strictEqual(yield* tagOf(fixture, payment), "Expired")
      }))
  )
})
