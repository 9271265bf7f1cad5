/** What is stored about reorgs past finality, on both engines: a chain's last final block, and what was lost. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { named } from "../testing/Named.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { FinalBlocks } from "../../../ports/store/operations/FinalBlocks.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import type { Loss } from "../../../ports/store/ledger/Losses.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import type { PaidBeside } from "../../../ports/chain/PaymentKinds.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { NewPayout } from "../../../ports/store/ledger/Payouts.ts"
import { payoutMovementId } from "../../../src/domain/ledger/LedgerIds.ts"
import { credit, paidOut, withdraw } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { haltOf, pauseId } from "../../../src/domain/pause/Pause.ts"
import type { PauseScope } from "../../../src/domain/pause/Pause.ts"
import { beta as betaChain } from "../../../src/domain/quote/testing/Chains.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { describeStores } from "../testing/stores.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)

const deposit = (n: number): Deposit => ({
  onchainId: Hex32.make(id(n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(100 + n)),
  index: 0,
  block: { height: BigInt(n), hash: id(200 + n), time: 1_700_000_000 + n },
  depositId: Hex32.make(id(500)),
  depositor: user,
  sender: user,
  currency: native,
  amount: 2n ** 255n
})

const lossOf = (
  { amount, chainId, currency, depositId, onchainId, transactionId }: Deposit,
  kind: Loss["kind"] = "deposit"
): Loss => ({ kind, chainId, orderId: OrderId.make(depositId), deposit: onchainId, transactionId, currency, amount })

describeStores(({ test }) => {
  test(
    "remembers the highest final block of each chain until it is forgotten",
    Effect.gen(function*() {
      const finals = yield* FinalBlocks
      const block = (n: bigint) => ({ height: n, hash: `0x${n}` })
      yield* finals.remember(alpha, block(7n))
      yield* finals.remember(alpha, block(10n ** 17n))
      yield* finals.remember(alpha, block(8n))
      yield* finals.remember(beta, block(9n))
      assert.deepStrictEqual(yield* finals.find(alpha), block(10n ** 17n))
      yield* finals.forget(alpha)
      assert.isUndefined(yield* finals.find(alpha))
      assert.deepStrictEqual(yield* finals.find(beta), block(9n))
    })
  )

  test(
    "books a loss once, reopens its deposit with it, and reverses it",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const [filled, refunded, foreign] = [deposit(1), deposit(2), deposit(3)] as const
      yield* deposits.note(named([filled]), 10)
      yield* deposits.note(named([refunded]), 20)
      yield* deposits.note(named([foreign]), 30)
      yield* deposits.close(filled.onchainId, 1, "filled", 9)
      yield* deposits.close(refunded.onchainId, 1, "refunded", 9)
      yield* deposits.close(foreign.onchainId, 1, "foreign", 9)
      assert.deepStrictEqual((yield* deposits.ended(alpha, 9)).map((one) => one.deposit.onchainId), [
        refunded.onchainId,
        filled.onchainId
      ])
      assert.lengthOf(yield* deposits.ended(alpha, 1), 1)
      assert.deepStrictEqual(yield* deposits.ended(beta, 9), [])

      const booked = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => losses.book(lossOf(filled), 40).pipe(Effect.retry({ times: 50 })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(booked.filter((one) => one).length, 1)
      assert.deepStrictEqual(yield* deposits.open(16), [{ onchainId: filled.onchainId, sighting: 2 }])
      // The payment for it is a separate loss: the work for the deposit starts again.
      assert.isTrue(yield* losses.book(lossOf(filled, "payment"), 50))
      assert.deepStrictEqual(yield* deposits.open(16), [{ onchainId: filled.onchainId, sighting: 3 }])
      yield* losses.recover(filled.onchainId, ["deposit"], 60)
      assert.deepStrictEqual(
        (yield* losses.all).map(({ amount, kind, noticedAt, recoveredAt }) => [kind, amount, noticedAt, recoveredAt]),
        [
          ["payment", 2n ** 255n, 50, null],
          ["deposit", 2n ** 255n, 40, 60]
        ]
      )
      // Lost again after it was recovered: it is a loss again.
      yield* deposits.close(filled.onchainId, 3, "filled", 9)
      assert.isTrue(yield* losses.book(lossOf(filled), 70))
      assert.deepStrictEqual(yield* deposits.open(16), [{ onchainId: filled.onchainId, sighting: 4 }])
      assert.strictEqual((yield* losses.all)[0]?.recoveredAt, null)
    })
  )

  test(
    "reopens a deposit whose payment is lost between its last check and its end, unless its own loss is booked by its filling",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const [paid, vanished] = [deposit(1), deposit(2)] as const
      yield* deposits.note(named([paid, vanished]), 10)
      assert.isTrue(yield* losses.book(lossOf(paid, "payment"), 20))
      assert.isTrue(yield* losses.book(lossOf(vanished), 20))
      // Booked once, so reopened once.
      assert.isFalse(yield* losses.book(lossOf(paid, "payment"), 30))
      yield* deposits.close(paid.onchainId, 1, "filled", 40)
      yield* deposits.close(vanished.onchainId, 1, "filled", 40)
      assert.deepStrictEqual(yield* deposits.open(4), [{ onchainId: paid.onchainId, sighting: 2 }])
      yield* deposits.close(paid.onchainId, 2, "filled", 50)
      assert.deepStrictEqual(yield* deposits.open(4), [])
    })
  )

  const signedFor = (of: Deposit, leg: PaymentPurpose = "fill", amount = 7n, besides?: PaidBeside) =>
    Effect.flatMap(Payments, (payments) =>
      payments.signOnce(
        leg,
        of.onchainId,
        {
          _tag: besides === undefined ? "Payout" : "Excess",
          chain: betaChain,
          currency: betaChain.native,
          recipient: user,
          amount,
          orderId: OrderId.make(of.depositId),
          ...(besides === undefined ? {} : { besides })
        },
        {
          account: user,
          chainSequence: 0n,
          costs: [],
          sign: (sequence) =>
            Effect.succeed({ transactionId: TransactionId.make(id(900 + Number(sequence))), raw: `raw ${sequence}` })
        },
        9
      ))

  /** What the doctor reads of the payments of an order. */
  const recordedFor = (order: OrderId) =>
    Effect.flatMap(
      Records,
      (records) =>
        Effect.map(records.payments(betaChain.id), (all) =>
          all.filter(({ orderId }) => orderId === order).map(({ deposited }) => deposited))
    )

  test(
    "books what is missing of a deposit: a part that comes back, or is lost again, changes its loss (REFUND-8)",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const filled = deposit(1)
      const loss = lossOf(filled)
      const shown = Effect.map(losses.all, (all) => all.map(({ amount, recoveredAt }) => [amount, recoveredAt]))
      yield* deposits.note(named([filled]), 10)
      yield* signedFor(filled)
      assert.isTrue(yield* losses.book(loss, 20))
      assert.isTrue(yield* losses.book({ ...loss, amount: 99n }, 21))
      assert.isFalse(yield* losses.book({ ...loss, amount: 99n }, 22))
      assert.deepStrictEqual(yield* shown, [[99n, null]])
      yield* deposits.close(filled.onchainId, 1, "filled", 23)
      // The rest is lost past finality: its deposit is open again.
      assert.isTrue(yield* losses.book(loss, 24))
      assert.deepStrictEqual(yield* deposits.open(16), [{ onchainId: filled.onchainId, sighting: 2 }])
      assert.deepStrictEqual(yield* shown, [[loss.amount, null]])
      yield* losses.recover(filled.onchainId, ["deposit"], 25)
      assert.isTrue(yield* losses.book({ ...loss, amount: 5n }, 26))
      assert.deepStrictEqual(yield* shown, [[5n, null]])
    })
  )

  test(
    "keeps what a payment's deposit had when it was signed, whatever is recorded of the deposit later (REFUND-8)",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const [filled, same, unknown] = [deposit(1), deposit(2), deposit(3)] as const
      const orderId = OrderId.make(filled.depositId)
      const kept = Effect.map(payments.find(orderId, "fill"), (found) => found?.deposited)
      yield* deposits.note(named([filled, same]), 10)
      assert.strictEqual((yield* signedFor(filled)).deposited, filled.amount)
      const [less] = named([{ ...filled, amount: 1n }])
      if (less === undefined) throw new Error("it is named")
      yield* deposits.correct(1, less)
      assert.strictEqual((yield* deposits.find(filled.onchainId))?.deposit.amount, 1n)
      assert.strictEqual(yield* kept, filled.amount)
      const { payments: [standing] } = yield* payments.standing(orderId, ["fill"], [])
      assert.strictEqual(standing?.deposited, filled.amount)
      if (standing === undefined) throw new Error("the payment is kept")
      yield* payments.handOver(standing, same.onchainId, 11)
      assert.strictEqual(yield* kept, filled.amount)
      // A refund as well, and one of a deposit that is not recorded does not know it.
      const refund = yield* signedFor(filled, `refund:${filled.onchainId}`).pipe(Effect.flip)
      assert.strictEqual(refund._tag, "PaymentUndue")
      assert.notProperty(yield* signedFor(unknown, `refund:${unknown.onchainId}`), "deposited")
    })
  )

  test(
    "hands a payment over: the deposit that had it is gone, nothing of it is left to settle, its loss is recovered, and in a block again it is a second deposit",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const payments = yield* Payments
      const settlements = yield* Settlements
      const [first, second] = [deposit(1), deposit(2)] as const
      const orderId = OrderId.make(first.depositId)
      yield* deposits.note(named([first, second]), 10)
      const paid = yield* signedFor(first)
      assert.isTrue(yield* losses.book(lossOf(first), 20))
      // The payment was undone once as well: whoever has it now sees it again.
      assert.isTrue(
        yield* losses.book({ ...lossOf(first, "payment"), chainId: beta, transactionId: paid.transactionId }, 21)
      )
      yield* deposits.close(first.onchainId, 2, "filled", 22)
      assert.deepStrictEqual((yield* settlements.ofOrder(orderId)).map(({ state }) => state), ["open"])

      const history = yield* TransferHistory
      const goneNow = Effect.map(history.goneDeposits(orderId), (all) => all.map(({ onchainId }) => onchainId))
      assert.deepStrictEqual(yield* goneNow, [])
      assert.isTrue(yield* payments.handOver(paid, second.onchainId, 30))
      assert.strictEqual((yield* payments.find(orderId, "fill"))?.deposit, second.onchainId)
      assert.deepStrictEqual(yield* goneNow, [first.onchainId])
      assert.strictEqual(yield* deposits.stateOf(first.onchainId), "gone")
      assert.deepStrictEqual(yield* deposits.ended(alpha, 9), [])
      assert.deepStrictEqual((yield* settlements.ofOrder(orderId)).map(({ state }) => state), ["excluded"])
      assert.deepStrictEqual(
        (yield* losses.all).map(({ deposit, kind, recoveredAt }) => [kind, deposit, recoveredAt]),
        [["payment", second.onchainId, null], ["deposit", first.onchainId, 30]]
      )
      // A filling of the first one that had found it filled, or gone, comes too late.
      yield* deposits.close(first.onchainId, 2, "filled", 31)
      assert.isFalse(yield* losses.book(lossOf(first), 32))
      assert.strictEqual(yield* deposits.stateOf(first.onchainId), "gone")
      // Only once, and only from the deposit that had it.
      assert.isFalse(yield* payments.handOver(paid, deposit(3).onchainId, 33))
      assert.strictEqual((yield* payments.find(orderId, "fill"))?.deposit, second.onchainId)

      const [again] = yield* deposits.note(named([first]), 40)
      assert.strictEqual(again?.sighting, 4)
      assert.deepStrictEqual(yield* goneNow, [])
      const refund = `refund:${first.onchainId}` as const
      assert.strictEqual((yield* signedFor(first, refund)).leg, refund)
      yield* deposits.close(first.onchainId, 4, "refunded", 50)
      yield* deposits.close(second.onchainId, 1, "filled", 51)
      assert.deepStrictEqual((yield* settlements.ofOrder(orderId)).map(({ state }) => state), ["open", "open"])
      assert.deepStrictEqual(
        (yield* losses.all).filter(({ kind, recoveredAt }) => kind === "deposit" && recoveredAt === null),
        []
      )
    })
  )

  test(
    "hands a payment over from a deposit whose filling has not ended: whatever that filling closes it as, it is gone",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const [first, second, refunded] = [deposit(1), deposit(2), deposit(3)] as const
      yield* deposits.note(named([first, second, refunded]), 10)
      const paid = yield* signedFor(first)
      assert.isFalse(yield* payments.handOver(paid, second.onchainId, 30))
      yield* deposits.close(first.onchainId, 1, "filled", 31)
      assert.deepStrictEqual(
        [yield* deposits.stateOf(first.onchainId), yield* deposits.stateOf(second.onchainId)],
        ["gone", "open"]
      )
      // What was refunded stays so.
      yield* deposits.close(refunded.onchainId, 1, "refunded", 32)
      const again = yield* payments.find(OrderId.make(first.depositId), "fill")
      if (again === undefined) throw new Error("the payment is kept")
      yield* payments.handOver(again, refunded.onchainId, 33)
      const last = yield* payments.find(OrderId.make(first.depositId), "fill")
      if (last === undefined) throw new Error("the payment is kept")
      yield* payments.handOver(last, first.onchainId, 34)
      assert.strictEqual(yield* deposits.stateOf(refunded.onchainId), "refunded")
    })
  )

  test(
    "hands a refund over: it is the other deposit's refund, whose own is not signed, and nothing of the former is left to settle",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const payments = yield* Payments
      const settlements = yield* Settlements
      const [first, second, third] = [deposit(1), deposit(2), deposit(3)] as const
      const orderId = OrderId.make(first.depositId)
      const legOf = ({ onchainId }: Deposit) => `refund:${onchainId}` as const
      const unfinished = Effect.map(payments.unfinishedRefunds(orderId), (all) => all.map(({ leg }) => leg))
      yield* deposits.note(named([first, second, third]), 10)
      const paid = yield* signedFor(first, legOf(first))
      yield* payments.recordOutcome(orderId, legOf(first), {
        state: "included",
        transactionId: paid.transactionId,
        block: first.block,
        gasPaid: 1n
      })
      assert.isTrue(yield* losses.book(lossOf(first), 20))
      assert.deepStrictEqual(yield* unfinished, [legOf(first)])
      yield* deposits.close(first.onchainId, 1, "refunded", 22)
      assert.deepStrictEqual(yield* unfinished, [])

      assert.isTrue(yield* payments.handOver(paid, second.onchainId, 30))
      assert.isUndefined(yield* payments.find(orderId, legOf(first)))
      assert.strictEqual((yield* payments.find(orderId, legOf(second)))?.deposit, second.onchainId)
      assert.strictEqual((yield* signedFor(second, legOf(second))).transactionId, paid.transactionId)
      assert.strictEqual((yield* signedFor(second)).leg, legOf(second))
      assert.deepStrictEqual(yield* unfinished, [legOf(second)])
      assert.strictEqual(yield* deposits.stateOf(first.onchainId), "gone")
      // A filling that stood still since its last look at the chain signs no second one (REFUND-7).
      assert.strictEqual((yield* Effect.flip(signedFor(first, legOf(first))))._tag, "PaymentUndue")
      assert.deepStrictEqual((yield* settlements.ofOrder(orderId)).map(({ state }) => state), ["excluded"])
      assert.deepStrictEqual((yield* losses.all).map(({ recoveredAt }) => recoveredAt), [30])
      // A filling of the first one that had read its refund before books no loss now.
      assert.isFalse(yield* losses.book(lossOf(first), 32))
      // Only once, and never to a deposit that has a refund of its own, or is filled.
      assert.isFalse(yield* payments.handOver(paid, third.onchainId, 33))
      const [taken] = yield* payments.unfinishedRefunds(orderId)
      if (taken === undefined) throw new Error("the payment is kept")
      yield* signedFor(third)
      yield* payments.handOver(taken, third.onchainId, 34)
      assert.deepStrictEqual(yield* unfinished, [legOf(second)])
      yield* deposits.close(second.onchainId, 1, "refunded", 51)
      assert.deepStrictEqual((yield* settlements.ofOrder(orderId)).map(({ state }) => state), ["excluded", "open"])
    })
  )

  test(
    "books the loss of a deposit that another process has closed as gone, while a payment for it stands",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const payments = yield* Payments
      const [refunded, unpaid] = [deposit(1), deposit(2)] as const
      yield* deposits.note(named([refunded, unpaid]), 10)
      const refund = yield* signedFor(refunded, `refund:${refunded.onchainId}`)
      for (const { onchainId } of [refunded, unpaid]) yield* deposits.close(onchainId, 1, "gone", 11)
      assert.isFalse(yield* losses.book(lossOf(unpaid), 12))
      assert.isTrue(yield* losses.book(lossOf(refunded), 12))
      assert.isFalse(yield* losses.book(lossOf(refunded), 13))
      assert.strictEqual(yield* deposits.stateOf(refunded.onchainId), "gone")
      // The refund can never be executed: nothing is lost by it.
      yield* losses.recover(refunded.onchainId, ["deposit"], 14)
      yield* payments.setAside(refund)
      assert.isFalse(yield* losses.book(lossOf(refunded), 15))
    })
  )

  test(
    "hands over a refund that was found after a restore and whose deposit nobody knew, and recovers its loss",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const losses = yield* Losses
      const payments = yield* Payments
      const [back, forgotten] = [deposit(1), Hex32.make(id(77))] as const
      const orderId = OrderId.make(back.depositId)
      const payment = { orderId, recipient: user, currency: native, amount: 7n }
      const sent = {
        account: user,
        transactionId: TransactionId.make(id(901)),
        raw: "found",
        sequence: 4n,
        block: back.block,
        succeeded: true,
        gasPaid: 1n,
        movesNothing: false,
        payment
      }
      const leg = `refund:${forgotten}` as const
      assert.isTrue(yield* payments.adopt({ leg, deposit: forgotten, chainId: beta, sent, payment }, 10))
      assert.isTrue(
        yield* losses.book({
          kind: "deposit",
          chainId: beta,
          orderId,
          deposit: forgotten,
          transactionId: sent.transactionId,
          currency: native,
          amount: 7n
        }, 11)
      )
      yield* deposits.note(named([back]), 12)
      const [refund] = yield* payments.unfinishedRefunds(orderId)
      assert.strictEqual(refund?.leg, leg)
      if (refund === undefined) throw new Error("the refund is kept")
      assert.isTrue(yield* payments.handOver(refund, back.onchainId, 13))
      const own = `refund:${back.onchainId}` as const
      assert.strictEqual((yield* signedFor(back, own)).transactionId, sent.transactionId)
      assert.deepStrictEqual((yield* losses.all).map(({ recoveredAt }) => recoveredAt), [13])
      // What it was paid for was not known: from now on it is what this deposit has.
      assert.notProperty(refund, "deposited")
      assert.strictEqual((yield* payments.find(orderId, own))?.deposited, back.amount)
      // A payment that is found for a deposit that is recorded is for what the record shows.
      yield* payments.adopt({
        leg: "fill",
        deposit: back.onchainId,
        chainId: beta,
        sent: { ...sent, transactionId: TransactionId.make(id(902)), sequence: 5n },
        payment
      }, 14)
      assert.strictEqual((yield* payments.find(orderId, "fill"))?.deposited, back.amount)
    })
  )

  test(
    "hands such a refund over as the excess of a filled deposit, of which an order has one (RESTORE-3)",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const [back, second] = [deposit(1), { ...deposit(2), depositId: deposit(1).depositId }] as const
      const orderId = OrderId.make(back.depositId)
      const payment = { orderId, recipient: user, currency: native, amount: 7n }
      const forgotten = [Hex32.make(id(77)), Hex32.make(id(78))] as const
      for (const [nth, unknown] of forgotten.entries()) {
        const sent = {
          account: user,
          transactionId: TransactionId.make(id(901 + nth)),
          raw: "found",
          sequence: BigInt(4 + nth),
          block: back.block,
          succeeded: true,
          gasPaid: 1n,
          movesNothing: false,
          payment
        }
        yield* payments.adopt({ leg: `refund:${unknown}`, deposit: unknown, chainId: beta, sent, payment }, 10 + nth)
      }
      yield* deposits.note(named([back, second]), 12)
      const fill = yield* signedFor(back, "fill")
      const [first, other] = yield* payments.unfinishedRefunds(orderId)
      if (first === undefined || other === undefined) throw new Error("both are kept")
      yield* payments.handOver(first, back.onchainId, 13, "excess")
      yield* payments.handOver(other, back.onchainId, 14, "excess")
      yield* payments.handOver(other, second.onchainId, 15, "excess")
      const own = `excess:${back.onchainId}` as const
      assert.strictEqual((yield* signedFor(back, own)).transactionId, first.transactionId)
      assert.deepStrictEqual((yield* payments.find(orderId, "fill"))?.transactionId, fill.transactionId)
      assert.deepStrictEqual((yield* payments.unfinishedRefunds(orderId)).map(({ leg }) => leg), [other.leg])
      assert.isUndefined(yield* payments.find(orderId, `excess:${second.onchainId}`))
    })
  )

  test(
    "signs nothing for a deposit that is gone or unrefundable, and no refund of more than is recorded; both go on once the record allows it",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const [gone, less] = [deposit(1), { ...deposit(2), depositId: Hex32.make(id(501)) }] as const
      yield* deposits.note(named([gone, less]), 10)
      const legsOf = ({ onchainId }: Deposit): ReadonlyArray<PaymentPurpose> => [
        "fill",
        "fallback",
        `refund:${onchainId}`,
        `excess:${onchainId}`
      ]
      const nothingIsSigned = Effect.forEach(
        legsOf(gone),
        (leg) =>
          Effect.map(Effect.flip(signedFor(gone, leg)), ({ _tag }) => assert.strictEqual(_tag, "PaymentUndue", leg))
      )
      // SECURITY: an earlier sighting's filling may still be waiting to fill it (REFUND-17).
      yield* deposits.close(gone.onchainId, 1, "unrefundable", 11)
      yield* nothingIsSigned
      assert.strictEqual((yield* deposits.reopen(gone.onchainId))?.sighting, 2)
      yield* deposits.close(gone.onchainId, 2, "gone", 11)
      yield* nothingIsSigned
      yield* deposits.note(named([gone]), 12)
      assert.strictEqual((yield* signedFor(gone)).sequence, 0n)

      const refund = `refund:${less.onchainId}` as const
      yield* deposits.correct(1, { deposit: { ...less, amount: 7n }, precedence: 7n })
      assert.strictEqual((yield* Effect.flip(signedFor(less, refund, 8n)))._tag, "PaymentUndue")
      assert.isUndefined(yield* payments.find(OrderId.make(less.depositId), refund))
      assert.strictEqual((yield* signedFor(less, refund, 7n)).sequence, 1n)
    })
  )

  test(
    "signs an excess beside the very fill or refund that it was computed from, for what is recorded, and nothing beside it (REFUND-9)",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const pairs = [["fill", 1], ["refund", 2]] as const
      for (const [kind, n] of pairs) {
        const first = { ...deposit(n), depositId: Hex32.make(id(600 + n)), amount: 10n }
        const leg = kind === "fill" ? kind : `refund:${first.onchainId}` as const
        const excess = `excess:${first.onchainId}` as const
        yield* deposits.note(named([first]), 10)
        const paid = yield* signedFor(first, leg)
        assert.strictEqual(paid.deposited, 10n)
        yield* deposits.correct(1, { deposit: { ...first, amount: 15n }, precedence: 15n })
        const besides: PaidBeside = { recorded: 15n, leg, deposited: 10n }
        const signed = (changes: Partial<PaidBeside>) => signedFor(first, excess, 4n, { ...besides, ...changes })
        for (const recorded of [14n, 16n]) {
          assert.strictEqual((yield* Effect.flip(signed({ recorded })))._tag, "PaymentUndue", kind)
        }
        // What it is computed from is another payment, or was signed for another amount: that one is returned.
        for (const other of [{ leg: "fallback" }, { deposited: 9n }, { deposited: undefined }]) {
          assert.strictEqual((yield* signed(other)).leg, leg, kind)
        }
        assert.isUndefined(yield* payments.find(paid.orderId, excess))
        const own = yield* signed({})
        assert.deepStrictEqual([own.leg, own.amount, own.deposited], [excess, 4n, 15n])
        assert.strictEqual((yield* signed({})).transactionId, own.transactionId)
        const shown = (yield* (yield* TransferHistory).allPayments(paid.orderId)).map(({ deposited }) => deposited)
        assert.sameMembers(shown, [10n, 15n])
        assert.deepStrictEqual(yield* recordedFor(paid.orderId), [10n, 15n])
        // SECURITY: once the payment is set aside, the deposit is not refunded again beside its excess.
        yield* payments.setAside(paid)
        assert.strictEqual((yield* signedFor(first, `refund:${first.onchainId}`, 15n)).leg, excess, kind)
      }
    })
  )

  test(
    "books the loss of a payout's payment once, and reserves its money again for another round",
    Effect.gen(function*() {
      const losses = yield* Losses
      const payouts = yield* Payouts
      const ledger = yield* Ledger
      const currency = { chainId: beta, address: native }
      const payout: NewPayout = {
        id: Hex32.make(id(700)),
        kind: "withdraw",
        wallet: user,
        recipient: user,
        currency,
        amount: 60n,
        nonce: 1n,
        paid: { currency, amount: 60n },
        askedAt: 1
      }
      const of = { currency, wallet: user, payout: payout.id, units: payout.amount }
      const post = (movement: ReturnType<typeof credit>) => ledger.post(Result.getOrThrow(movement), 1)
      yield* post(credit({ ...of, id: LedgerId.make("credit") }))
      yield* payouts.reserve(payout, Result.getOrThrow(withdraw({ ...of, id: LedgerId.make("withdraw") })))
      const paid = (round: number) =>
        Result.getOrThrow(paidOut({ ...of, id: payoutMovementId("paid", payout.id, round) }))
      yield* payouts.close(payout.id, 0, "paid", paid(0), 5)
      const loss: Loss = {
        kind: "payment",
        chainId: beta,
        orderId: OrderId.make(payout.id),
        deposit: payout.id,
        transactionId: TransactionId.make(id(701)),
        currency: native,
        amount: 60n
      }
      const booked = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => losses.book(loss, 10).pipe(Effect.retry({ times: 50 })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        booked.filter((one) => one).length,
        1
      )
      assert.deepStrictEqual((yield* payouts.open).map(({ endedAt, round }) => [endedAt, round]), [[undefined, 1]])
      assert.strictEqual(yield* ledger.balanceOf({ _tag: "Payout", wallet: user, payout: payout.id }, currency), 60n)
      yield* losses.recover(payout.id, ["payment"], 20)
      yield* payouts.close(payout.id, 1, "paid", paid(1), 21)
      assert.deepStrictEqual((yield* losses.all).map(({ recoveredAt }) => recoveredAt), [20])
      assert.strictEqual(yield* ledger.balanceOf({ _tag: "External" }, currency), 0n)
      // Lost again after it was recovered: it is owed again.
      assert.isTrue(yield* losses.book(loss, 30))
      assert.deepStrictEqual((yield* payouts.open).map(({ round }) => round), [2])
      assert.lengthOf(yield* ledger.differences, 0)
    })
  )

  test(
    "keeps a halt beside an operator's pause of the same chain",
    Effect.gen(function*() {
      const pauses = yield* Pauses
      const halt: PauseScope = { _tag: "Halt", chainId: alpha, height: 10n ** 17n, expected: "0xaa", found: "0xbb" }
      const chain: PauseScope = { _tag: "Chain", chainId: alpha }
      for (const scope of [halt, chain]) yield* pauses.add({ id: pauseId(scope), scope, reason: "", createdAt: 5 })
      assert.deepStrictEqual(haltOf(yield* pauses.all, alpha)?.scope, halt)
      assert.isUndefined(haltOf(yield* pauses.all, beta))
      assert.isTrue(yield* pauses.remove(pauseId(halt)))
      assert.isUndefined(haltOf(yield* pauses.all, alpha))
      assert.lengthOf(yield* pauses.all, 1)
    })
  )
})
