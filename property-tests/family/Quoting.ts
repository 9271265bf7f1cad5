/** The contracts of `StepBuilder`, `AddressBalances` and `DirectPaymentWatcher`, for any family: the user's side. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AddressBalances } from "../../ports/chain/AddressBalances.ts"
import { DepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import { DirectPaymentWatcher } from "../../ports/chain/DirectPaymentWatcher.ts"
import { StepBuilder } from "../../ports/chain/StepBuilder.ts"
import type { DepositWay } from "../../ports/chain/StepBuilder.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { Step } from "../../src/domain/quote/wire/Step.ts"
import { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { must } from "../Law.ts"
import { type Contract, FamilyFixture, replaceNewest } from "./FamilyFixture.ts"
import { orderOf } from "./Orders.ts"

const encodeSteps = Schema.encodeEffect(Schema.toCodecJson(Schema.Array(Step)), { onExcessProperty: "error" })

/** The user executes the steps in order. Returns the last transaction. */
const carriedOut = (currency: Currency, amount: bigint, way: DepositWay, nth: number) =>
  Effect.gen(function*() {
    const { carryOut, chain, mine, user } = yield* FamilyFixture
    const prepared = yield* (yield* StepBuilder).prepare({ origin: chain, currency, amount, user, way })
    const requestId = RequestId.make(`0x${"0a".repeat(32)}`)
    const steps = prepared.steps({ orderId: orderOf(nth), requestId, checkEndpoint: "/check" })
    must(steps.length > 0 && steps.every((step) => step.requestId === requestId), "a step has another request")
    // An answer has the steps as they are, so they have to be what the API says, with nothing besides.
    yield* Effect.orDie(encodeSteps(steps))
    const ids = yield* Effect.forEach(steps, carryOut)
    yield* mine
    const last = ids.at(-1)
    return { prepared, transactionId: last ?? (yield* Effect.die(new Error("no step"))) }
  })

/** The contract of `StepBuilder`: executing the steps gives what was quoted. */
export const stepBuilderContract: ReadonlyArray<Contract<StepBuilder | DepositWatcher>> = [
  {
    name: "executed steps make the quoted deposit, and cost the wallet no more than quoted",
    check: Effect.gen(function*() {
      const { balance, chain, token, user } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      for (const [nth, currency] of [chain.native, token].entries()) {
        const before = { native: yield* balance(user, chain.native), paid: yield* balance(user, currency) }
        const { prepared, transactionId } = yield* carriedOut(currency, 9_000n, { _tag: "Depository" }, nth + 1)
        must(prepared.userBalance === before.paid, "the user has something else")
        const [deposit, ...more] = (yield* watcher.look(chain, transactionId)) ?? []
        must(more.length === 0 && deposit?.depositId === orderOf(nth + 1), "it is not one deposit for the order")
        must(deposit?.amount === 9_000n && deposit.currency === currency.address, "it deposits something else")
        const cost = before.native - (yield* balance(user, chain.native)) - (currency.isNative ? 9_000n : 0n)
        must(cost <= prepared.gas, "it cost the wallet more than was said")
      }
    })
  }
]

/** The contract of `DirectPaymentWatcher`: payments that users make themselves. */
export const sendWatcherContract: ReadonlyArray<Contract<StepBuilder | DirectPaymentWatcher | DepositWatcher>> = [
  {
    name: "a user's own payment is found with its order, recipient and amount",
    check: Effect.gen(function*() {
      const { chain, finalise, stranger, user } = yield* FamilyFixture
      const sends = yield* DirectPaymentWatcher
      const cursor = yield* (yield* DepositWatcher).head(chain)
      const { transactionId } = yield* carriedOut(chain.native, 5_000_000n, { _tag: "Send", recipient: stranger }, 1)
      const { payments } = yield* sends.scan(chain, cursor)
      const found = payments.find((each) => each.transactionId === transactionId)
      must(found?.orderId === orderOf(1) && found.from === user && found.succeeded, "it is not found as it is")
      must(
        found?.payments.some(({ amount, currency, recipient }) =>
          recipient === stranger && amount === 5_000_000n && currency === chain.native.address
        ) === true,
        "it paid something else"
      )
      const standing = yield* sends.look(chain, transactionId)
      must(standing?.confirmations === 1 && !standing.final, "it stands otherwise")
      if (found === undefined) return
      yield* replaceNewest
      must(
        (yield* sends.lookAgain(chain, transactionId, found.block, "endpoint")) === undefined,
        "it was taken back and is there"
      )
      const again = yield* carriedOut(chain.native, 5_000_000n, { _tag: "Send", recipient: stranger }, 1)
      yield* finalise
      must((yield* sends.look(chain, again.transactionId))?.final === true, "it is never final")
    })
  }
]

/** The contract of `DirectPaymentWatcher` where nothing is scanned for (`FamilyRules.scansSends`) or taken back. */
export const namedSendContract: ReadonlyArray<Contract<StepBuilder | DirectPaymentWatcher>> = [
  {
    name: "a user's own payment is read by its transaction, with its order, recipient and amount",
    check: Effect.gen(function*() {
      const { chain, mine, stranger, token, user } = yield* FamilyFixture
      const sends = yield* DirectPaymentWatcher
      for (const [nth, currency] of [chain.native, token].entries()) {
        const way = { _tag: "Send", recipient: stranger } as const
        const { transactionId } = yield* carriedOut(currency, 5_000_000n, way, nth + 1)
        yield* mine
        const standing = yield* sends.look(chain, transactionId)
        const { final = false, payment } = standing ?? {}
        must(payment?.orderId === orderOf(nth + 1) && payment.from === user && payment.succeeded, "it is another one")
        const [paid, ...more] = payment?.payments ?? []
        must(
          more.length === 0 && paid?.recipient === stranger && paid.amount === 5_000_000n &&
            paid.currency === currency.address,
          "it paid something else"
        )
        must(final, "it is not final")
        if (payment === undefined) return
        for (const by of ["endpoint", "quorum"] as const) {
          must((yield* sends.lookAgain(chain, transactionId, payment.block, by))?.final === true, `by ${by}`)
        }
      }
    })
  }
]

/** The contract of `AddressBalances`. */
export const addressBalancesContract: ReadonlyArray<Contract<AddressBalances>> = [
  {
    name: "balances of an address are read in the order of the question, an empty one as zero",
    check: Effect.gen(function*() {
      const { balance, chain, stranger, token, user } = yield* FamilyFixture
      const balances = yield* AddressBalances
      const asked = [token, chain.native]
      const readings = yield* balances.read(chain, user, asked)
      must(readings.length === asked.length, "not one reading for each")
      for (const [index, currency] of asked.entries()) {
        const reading = readings[index]
        must(reading?._tag === "Read" && reading.units === (yield* balance(user, currency)), "it holds something else")
      }
      const none = yield* balances.read(chain, stranger, asked)
      must(none.every((reading) => reading._tag === "Read" && reading.units === 0n), "nothing is not zero")
    })
  }
]
