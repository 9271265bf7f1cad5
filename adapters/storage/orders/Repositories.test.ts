import { families } from "../../../src/domain/families/index.ts"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { named } from "../testing/Named.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { PaymentCost, PreparedReplacement, SignedPayment } from "../../../ports/chain/Treasury.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Order, OrderId } from "../../../src/domain/order/Order.ts"
import { Quote } from "../../../src/domain/quote/wire/Quote.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { pauseId } from "../../../src/domain/pause/Pause.ts"
import { describeStores } from "../testing/stores.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)

const order = Schema.decodeUnknownSync(Order)({
  version: "v1",
  solverChainId: "beta",
  solver: "0x00000000000000000000000000000000000000f1",
  salt: id(1),
  inputs: [],
  output: { chainId: "beta", payments: [], calls: [], deadline: 1_900_000_000, extraData: "0x" },
  fees: []
})

const wireAmount = {
  currency: {
    chainId: alpha,
    address: native,
    symbol: "ETH",
    name: "Ether",
    decimals: 18,
    metadata: { verified: true, isNative: true }
  },
  amount: (2n ** 255n).toString(),
  amountFormatted: "1.0",
  amountUsd: "1.000000",
  minimumAmount: "1"
}
const impact = { usd: "0.000000", percent: "0.00" }
const leg = { inputCurrency: wireAmount, outputCurrency: wireAmount, router: "causeway", includedSwapSources: [] }
const slippage = { usd: "0.000000", value: "0", percent: "0.00" }

const quote = Schema.decodeUnknownSync(Quote)({
  steps: [],
  fees: {
    gas: wireAmount,
    relayer: wireAmount,
    relayerGas: wireAmount,
    relayerService: wireAmount,
    app: wireAmount,
    subsidized: wireAmount
  },
  details: {
    operation: "bridge",
    sender: user,
    recipient: user,
    currencyIn: wireAmount,
    currencyOut: wireAmount,
    refundCurrency: wireAmount,
    currencyGasTopup: wireAmount,
    totalImpact: impact,
    swapImpact: impact,
    expandedPriceImpact: { swap: { usd: "0.000000" } },
    rate: "1",
    slippageTolerance: { total: "2.00", origin: slippage, destination: slippage },
    timeEstimate: 2,
    userBalance: "0",
    isFixedRate: false,
    route: { origin: leg, destination: leg }
  }
})

const transfer = (n: number): Transfer => ({
  id: RequestId.make(id(n)),
  orderId: OrderId.make(id(1000 + n)),
  order,
  orderSignature: "0x12",
  terms: {
    originChainId: alpha,
    originCurrency: native,
    destinationChainId: beta,
    destinationCurrency: native,
    user,
    recipient: user,
    refundTo: user,
    tradeType: "EXACT_INPUT",
    amountIn: 2n ** 255n,
    amountOut: 2n ** 254n,
    minimumOut: 1n
  },
  quote,
  quotedAt: 1_700_000_000_123,
  status: "waiting",
  failReason: null,
  updatedAt: 1_700_000_000_123
})

const deposit = (n: number, orderId: `0x${string}`, block = "0xaa"): Deposit => ({
  onchainId: Hex32.make(id(5000 + n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(6000 + n)),
  index: n,
  block: { height: 10n ** 15n, hash: block, time: 1_700_000_001 },
  depositId: Hex32.make(orderId),
  depositor: user,
  sender: user,
  currency: native,
  amount: 2n ** 256n - 1n
})

const currency = { chainId: beta, address: native, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }
const chain: Chain = {
  id: beta,
  slug: ChainSlug.make("beta"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Beta",
  depository: user,
  router: undefined,
  vault: undefined,
  native: currency,
  currencies: [currency],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1000,
  explorerUrl: undefined
}

const payment = (n: number) =>
  ({
    _tag: "Payout",
    chain,
    currency,
    recipient: user,
    amount: 2n ** 200n,
    orderId: OrderId.make(id(1000 + n))
  }) as const

/** Signs by naming the sequence, and counts its calls. */
const signer = () => {
  let signed = 0
  return {
    count: () => signed,
    prepared: (chainSequence: bigint, balance = 2n ** 255n, others: ReadonlyArray<PaymentCost> = []) => ({
      account: user,
      chainSequence,
      costs: [{ holder: user, currency: native, amount: 10n, balance }, ...others],
      sign: (sequence: bigint) =>
        Effect.sync(() => {
          signed += 1
          return { transactionId: TransactionId.make(id(Number(sequence))), raw: `raw ${sequence}` }
        })
    })
  }
}

describeStores(({ test }) => {
  test(
    "returns a transfer as it was stored, by either id",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      yield* transfers.add(transfer(1))
      assert.deepStrictEqual(yield* transfers.find(transfer(1).id), transfer(1))
      assert.deepStrictEqual(yield* transfers.findByOrder(transfer(1).orderId), transfer(1))
      assert.isUndefined(yield* transfers.find(transfer(2).id))
      const deposits = yield* Deposits
      const [ours, foreign] = [deposit(1, transfer(1).orderId), deposit(2, id(77))]
      yield* deposits.note(named([ours, foreign]), 7)
      assert.deepStrictEqual(yield* transfers.findByDeposit(ours.onchainId), {
        deposit: ours,
        sighting: 1,
        transfer: transfer(1)
      })
      assert.isUndefined(yield* transfers.findByDeposit(foreign.onchainId))
    })
  )

  test(
    "moves a transfer only along the status machine, and never out of a terminal state",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      yield* transfers.add(transfer(1))
      const move = (to: "pending" | "submitted" | "success" | "refund" | "waiting") =>
        transfers.move(transfer(1).id, { to, at: 5 })
      assert.isFalse(yield* move("success"))
      assert.isTrue(yield* move("pending"))
      assert.isFalse(yield* move("waiting"))
      assert.isTrue(yield* move("submitted"))
      assert.isTrue(yield* move("success"))
      for (const to of ["pending", "submitted", "refund", "success"] as const) assert.isFalse(yield* move(to))
      assert.strictEqual((yield* transfers.find(transfer(1).id))?.status, "success")
      assert.isFalse(yield* transfers.move(transfer(9).id, { to: "pending", at: 5 }))
    })
  )

  test(
    "lists transfers of which a deposit was filled or refunded, each once, the last seen first",
    Effect.gen(function*() {
      const [transfers, deposits, history] = [yield* Transfers, yield* Deposits, yield* TransferHistory]
      for (const number of [1, 2, 3, 4]) yield* transfers.add(transfer(number))
      const seen = Effect.fnUntraced(
        function*(n: number, number: number, at: number, end: "filled" | "refunded" | "gone") {
          const found = deposit(n, transfer(number).orderId)
          yield* deposits.note(named([found]), at)
          yield* deposits.close(found.onchainId, 1, end, at)
        }
      )
      yield* seen(1, 1, 10, "filled")
      yield* seen(2, 2, 20, "refunded")
      yield* seen(3, 1, 30, "refunded")
      yield* seen(4, 3, 40, "gone")
      yield* deposits.note(named([deposit(5, transfer(4).orderId)]), 50)
      assert.deepStrictEqual(yield* history.lastEnded(9), [transfer(1).id, transfer(2).id])
      assert.deepStrictEqual(yield* history.lastEnded(1), [transfer(1).id])
    })
  )

  test(
    "lists requests that have a deposit and have not ended, the longest in its state first",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      for (const number of [1, 2, 3, 4, 5]) yield* transfers.add(transfer(number))
      const move = (number: number, to: "depositing" | "pending" | "submitted" | "success", at: number) =>
        transfers.move(transfer(number).id, { to, at })
      yield* move(1, "pending", 30)
      yield* move(2, "depositing", 10)
      yield* move(3, "pending", 5)
      yield* move(3, "submitted", 20)
      yield* move(4, "pending", 1)
      yield* move(4, "submitted", 2)
      yield* move(4, "success", 3)
      const { destinationChainId, originChainId } = transfer(1).terms
      const at = (number: number, status: "depositing" | "pending" | "submitted", since: number) => ({
        id: transfer(number).id,
        status,
        since,
        originChainId,
        destinationChainId
      })
      assert.deepStrictEqual(yield* transfers.unended(10), [
        at(2, "depositing", 10),
        at(3, "submitted", 20),
        at(1, "pending", 30)
      ])
      assert.lengthOf(yield* transfers.unended(2), 2)
      yield* move(5, "depositing", 40)
      assert.deepStrictEqual(
        yield* transfers.unendedByStatus,
        new Map([["depositing", 2], ["pending", 1], ["submitted", 1]])
      )
    })
  )

  test(
    "lets one of many concurrent movers win",
    Effect.gen(function*() {
      const transfers = yield* Transfers
      yield* transfers.add(transfer(1))
      const moves = yield* Effect.all(
        Array.from(
          { length: 20 },
          () => transfers.move(transfer(1).id, { to: "pending", at: 5 }).pipe(Effect.orElseSucceed(() => false))
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(moves.filter((moved) => moved).length, 1)
    })
  )

  test(
    "opens a deposit that was recorded for an order of nobody once it is shown for an order of ours",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const shown = deposit(1, id(1001))
      const misreported = deposit(1, id(1002))
      yield* deposits.anchor(alpha, { height: 0n, hash: "0x0" })
      assert.strictEqual(yield* deposits.noteForeign([misreported], 7), 1)
      const record = (found: Deposit) => deposits.recordFinal(alpha, { height: 1n, hash: "0x1" }, named([found]), 8)
      // The same order again is still of nobody.
      assert.deepStrictEqual(yield* record(misreported), [])
      assert.deepStrictEqual(yield* record(shown), [{ deposit: shown, sighting: 2 }])
      assert.deepStrictEqual(yield* record(shown), [])
      assert.strictEqual(yield* deposits.noteForeign([misreported], 9), 0)
      assert.deepStrictEqual(yield* deposits.find(shown.onchainId), { deposit: shown, sighting: 2 })
      assert.strictEqual(yield* deposits.stateOf(shown.onchainId), "open")
      const history = yield* TransferHistory
      assert.lengthOf(yield* history.allDeposits(OrderId.make(id(1001))), 1)
      assert.lengthOf(yield* history.allDeposits(OrderId.make(id(1002))), 0)
    })
  )

  test(
    "moves an open deposit to the block in which it is seen, and changes nothing else of it: only a correction does",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const [ours, other] = [id(1001), id(1002)]
      const first = deposit(1, ours)
      yield* deposits.anchor(alpha, { height: 0n, hash: "0x0" })
      const ways = {
        record: (found: Deposit) => deposits.record(alpha, { height: 1n, hash: "0x1" }, named([found]), 8),
        recordFinal: (found: Deposit) => deposits.recordFinal(alpha, { height: 1n, hash: "0x1" }, named([found]), 8),
        note: (found: Deposit) => deposits.note(named([found]), 8)
      }
      yield* ways.note(first)
      let sighting = 1
      for (const [way, see] of Object.entries(ways)) {
        const lie: Deposit = {
          ...deposit(1, other, `0x${way}`),
          amount: 5n,
          depositor: Address.make(`0x${"9".repeat(40)}`),
          block: { height: 7n, hash: `0x${way}`, time: 1_700_000_009 }
        }
        const kept = { deposit: { ...first, block: lie.block }, sighting: sighting += 1 }
        assert.deepStrictEqual(yield* see(lie), [kept], way)
        assert.deepStrictEqual(yield* see(lie), [], "in the same block")
        assert.deepStrictEqual(yield* deposits.find(first.onchainId), kept)
      }
      const history = yield* TransferHistory
      assert.lengthOf(yield* history.allDeposits(OrderId.make(ours)), 1)
      const shown = { ...deposit(1, other), amount: 7n }
      yield* deposits.correct(sighting - 1, { deposit: shown, precedence: 1n })
      assert.strictEqual((yield* deposits.find(first.onchainId))?.sighting, sighting, "of an earlier sighting")
      yield* deposits.correct(sighting, { deposit: shown, precedence: 1n })
      assert.deepStrictEqual(yield* deposits.find(first.onchainId), { deposit: shown, sighting: sighting + 1 })
      assert.lengthOf(yield* history.allDeposits(OrderId.make(ours)), 0)
      assert.lengthOf(yield* history.allDeposits(OrderId.make(other)), 1)
      // What has ended is not opened by it.
      yield* deposits.close(first.onchainId, sighting + 1, "filled", 9)
      yield* deposits.correct(sighting + 1, { deposit: first, precedence: 1n })
      assert.strictEqual(yield* deposits.stateOf(first.onchainId), "filled")
    })
  )

  test(
    "records a deposit once, moves the cursor with it, and reopens what a reorg restored",
    Effect.gen(function*() {
      const deposits = yield* Deposits
      const orderId = id(1001)
      assert.isUndefined(yield* deposits.cursor(alpha))
      yield* deposits.anchor(alpha, { height: 0n, hash: "0x0" })
      yield* deposits.anchor(alpha, { height: 9n, hash: "0x9" })
      assert.deepStrictEqual(yield* deposits.cursor(alpha), { height: 0n, hash: "0x0" })
      const record = (height: bigint, found: ReadonlyArray<Deposit>) =>
        deposits.record(alpha, { height, hash: `0x${height}` }, named(found), 7)
      const first = (n: number) => ({ deposit: deposit(n, orderId), sighting: 1 })
      assert.deepStrictEqual(yield* record(1n, [deposit(1, orderId), deposit(2, orderId)]), [first(1), first(2)])
      assert.deepStrictEqual(yield* record(2n, [deposit(2, orderId), deposit(3, orderId)]), [first(3)])
      assert.deepStrictEqual(yield* deposits.cursor(alpha), { height: 2n, hash: "0x2" })
      assert.isUndefined(yield* deposits.cursor(beta))
      // A scan of final blocks has a cursor of its own, which begins at the anchor.
      assert.deepStrictEqual(yield* deposits.finalCursor(alpha), { height: 0n, hash: "0x0" })
      assert.isUndefined(yield* deposits.finalCursor(beta))
      const final = { height: 1n, hash: "0x1" }
      assert.deepStrictEqual(yield* deposits.recordFinal(alpha, final, named([deposit(3, orderId)]), 8), [])
      assert.deepStrictEqual(yield* deposits.finalCursor(alpha), final)
      assert.deepStrictEqual(yield* deposits.cursor(alpha), { height: 2n, hash: "0x2" })
      assert.deepStrictEqual(yield* deposits.find(deposit(1, orderId).onchainId), first(1))
      yield* deposits.close(deposit(1, orderId).onchainId, 1, "filled", 9)
      yield* deposits.close(deposit(2, orderId).onchainId, 1, "gone", 9)
      assert.deepStrictEqual(yield* deposits.open(16), [{ onchainId: deposit(3, orderId).onchainId, sighting: 1 }])
      // A filled deposit stays filled. A deposit that was gone is back, in the same block or in another one.
      assert.deepStrictEqual(yield* record(3n, [deposit(1, orderId), deposit(2, orderId)]), [{
        deposit: deposit(2, orderId),
        sighting: 2
      }])
      const again = deposit(2, orderId, "0xbb")
      assert.deepStrictEqual(yield* record(4n, [again]), [{ deposit: again, sighting: 3 }])
      // Closing an earlier sighting does not end a later one.
      yield* deposits.close(again.onchainId, 2, "gone", 9)
      assert.deepStrictEqual(yield* deposits.find(again.onchainId), { deposit: again, sighting: 3 })
      assert.strictEqual((yield* deposits.open(16)).length, 2)
      assert.deepStrictEqual(yield* deposits.sightAgain({ onchainId: again.onchainId, sighting: 3 }), {
        deposit: again,
        sighting: 4
      })
      assert.isUndefined(yield* deposits.sightAgain({ onchainId: again.onchainId, sighting: 3 }))
      // An unrefundable deposit is reopened on request, once; no other deposit is.
      const { onchainId } = again
      assert.isUndefined(yield* deposits.reopen(onchainId))
      yield* deposits.close(onchainId, 4, "unrefundable", 9)
      assert.isUndefined(yield* deposits.sightAgain({ onchainId, sighting: 4 }))
      assert.deepStrictEqual(yield* deposits.reopen(onchainId), { deposit: again, sighting: 5 })
      assert.isUndefined(yield* deposits.reopen(onchainId))
      assert.deepStrictEqual(
        (yield* deposits.open(16)).find((open) => open.onchainId === onchainId)?.sighting,
        5
      )
      yield* deposits.close(onchainId, 5, "refunded", 9)
      assert.isUndefined(yield* deposits.reopen(onchainId))
    })
  )

  test(
    "signs a purpose once, however often it is asked",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { count, prepared } = signer()
      const first = yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(4n), 9)
      const second = yield* payments.signOnce("fill", Hex32.make(id(2)), payment(1), prepared(4n), 9)
      assert.deepStrictEqual(second, first)
      assert.strictEqual(first.sequence, 4n)
      assert.strictEqual(first.amount, 2n ** 200n)
      assert.strictEqual(count(), 1)
      assert.deepStrictEqual(yield* payments.find(payment(1).orderId, "fill"), first)
      assert.deepStrictEqual([
        yield* payments.signed(first.transactionId),
        yield* payments.signed(TransactionId.make(`0x${"99".repeat(32)}`))
      ], [true, false])
      assert.isUndefined(yield* payments.find(payment(1).orderId, "refund:0x1"))
    })
  )

  test(
    "stores nothing when its signer fails or is late, and signs it under the same sequence afterwards",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const reached = yield* Deferred.make<void>()
      const slow = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      const fault = Effect.fail(new SignerUnavailable({ fault: "refused" }))
      const sign = (sign: Effect.Effect<SignedPayment, SignerUnavailable>) =>
        Effect.flip(payments.signOnce("fill", Hex32.make(id(1)), payment(1), { ...prepared(4n), sign: () => sign }, 9))
      const assertNothing = Effect.gen(function*() {
        assert.isUndefined(yield* payments.find(payment(1).orderId, "fill"))
        assert.isFalse(yield* payments.signed(TransactionId.make(id(4))))
      })
      const refused = yield* sign(fault)
      assert.strictEqual(refused._tag, "SignerUnavailable")
      yield* assertNothing
      const waiting = yield* Effect.forkChild(sign(slow))
      yield* Deferred.await(reached)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "SignerUnavailable")
      yield* assertNothing
      const kept = yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(4n), 9)
      assert.strictEqual(kept.sequence, 4n)
      const failed = yield* Effect.flip(payments.replace(kept, {
        extra: { holder: user, currency: native, amount: 1n, balance: 2n ** 255n },
        mostGas: 1n,
        sign: fault
      }, 10))
      assert.strictEqual(failed._tag, "SignerUnavailable")
      assert.deepStrictEqual(yield* payments.find(payment(1).orderId, "fill"), kept)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  test(
    "gives every payment its own sequence, without gaps, under any concurrency",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const sign = (n: number) =>
        payments.signOnce("fill", Hex32.make(id(n)), payment(n), prepared(3n), 9).pipe(Effect.retry({ times: 50 }))
      const signed = yield* Effect.forEach(Array.from({ length: 40 }, (_, n) => n), sign, { concurrency: "unbounded" })
      const sequences = signed.map(({ sequence }) => sequence).toSorted((a, b) => Number(a - b))
      assert.deepStrictEqual(sequences, Array.from({ length: 40 }, (_, n) => BigInt(n + 3)))
      // The chain is ahead of our count: another party has used the account.
      assert.strictEqual(
        (yield* payments.signOnce("refund:0x1", Hex32.make(id(99)), payment(1), prepared(100n), 9)).sequence,
        100n
      )
    })
  )

  test(
    "signs no more than the account can pay for, including what is in flight, and again once that is mined",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const sign = (n: number) =>
        Effect.result(payments.signOnce("fill", Hex32.make(id(n)), payment(n), prepared(0n, 25n), 9))
      const tried = yield* Effect.forEach([1, 2, 3], sign, { concurrency: "unbounded" })
      assert.strictEqual(tried.filter((one) => one._tag === "Success").length, 2)
      const refused = yield* payments.signOnce("fill", Hex32.make(id(9)), payment(9), prepared(0n, 25n), 9).pipe(
        Effect.flip
      )
      assert.strictEqual(refused._tag, "PaymentRefused")
      const [n] = [1, 2, 3].filter((_, index) => tried[index]?._tag === "Success")
      const block = { height: 5n, hash: "0x5", time: 6 }
      const mined = tried[(n ?? 0) - 1]
      assert(mined?._tag === "Success")
      yield* payments.recordOutcome(payment(n ?? 0).orderId, "fill", {
        state: "included",
        transactionId: mined.success.transactionId,
        block,
        gasPaid: 1n
      })
      // Refused payments have used no sequence: there is no gap.
      assert.strictEqual(
        (yield* payments.signOnce("fill", Hex32.make(id(9)), payment(9), prepared(0n, 25n), 9)).sequence,
        2n
      )
    })
  )

  test(
    "signs no more of a token than the account or the vault has, each separately",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const token = CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
      const cost = (holder: Address): PaymentCost => ({ holder, currency: token, amount: 6n, balance: 10n })
      const sign = (n: number, holder: Address) =>
        Effect.result(
          payments.signOnce("fill", Hex32.make(id(n)), payment(n), prepared(0n, 2n ** 255n, [cost(holder)]), 9)
        )
      const vault = Address.make("0x00000000000000000000000000000000000000b1")
      const tried = yield* Effect.forEach([1, 2, 3], (n) => sign(n, user), { concurrency: "unbounded" })
      assert.strictEqual(tried.filter((one) => one._tag === "Success").length, 1)
      assert.strictEqual((yield* sign(4, vault))._tag, "Success")
      assert.strictEqual((yield* sign(5, vault))._tag, "Failure")
    })
  )

  test(
    "signs a purpose again once its payment was set aside, and reassigns a purpose",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const first = yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(0n), 9)
      yield* payments.setAside(first)
      assert.isUndefined(yield* payments.find(payment(1).orderId, "fill"))
      const second = yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(0n), 9)
      assert.strictEqual(second.sequence, 1n)
      // Who has read the first one before replaces nothing, and sets nothing aside: each has one variant.
      assert.deepStrictEqual(yield* payments.replace(first, replacement(1), 10), second)
      yield* payments.setAside(first)
      assert.deepStrictEqual(yield* payments.find(payment(1).orderId, "fill"), second)
      yield* payments.handOver(second, Hex32.make(id(7)), 9)
      assert.strictEqual((yield* payments.find(payment(1).orderId, "fill"))?.deposit, id(7))
    })
  )

  test(
    "records what was sent, and its outcome",
    Effect.gen(function*() {
      const payments = yield* Payments
      const paid = yield* payments.signOnce("fill", deposit(1, id(0)).onchainId, payment(1), signer().prepared(0n), 9)
      yield* payments.recordSent(paid)
      assert.strictEqual((yield* payments.find(paid.orderId, "fill"))?.state, "sent")
      const { transactionId } = paid
      yield* payments.recordOutcome(paid.orderId, "fill", {
        state: "included",
        transactionId,
        block: { height: 5n, hash: "0x5", time: 6 },
        gasPaid: 21_000n
      })
      assert.strictEqual((yield* payments.find(paid.orderId, "fill"))?.state, "included")
    })
  )

  test(
    "has the chain's own id once a payment is executed, where the chain gives it another, and the bytes that were signed",
    Effect.gen(function*() {
      const payments = yield* Payments
      const paid = yield* payments.signOnce("fill", deposit(1, id(0)).onchainId, payment(1), signer().prepared(0n), 9)
      yield* payments.recordSent(paid)
      const transactionId = TransactionId.make(id(8001))
      const record = payments.recordOutcome(paid.orderId, "fill", {
        state: "included",
        transactionId,
        signedAs: paid.transactionId,
        block: { height: 5n, hash: "0x5", time: 6 },
        gasPaid: 0n
      })
      yield* record
      // Again, after a crash.
      yield* record
      const kept = yield* payments.find(paid.orderId, "fill")
      assert.deepInclude(kept, { transactionId, raw: paid.raw, state: "included" })
      assert.deepStrictEqual(kept?.variants, paid.variants)
    })
  )

  /** Costs one unit more than the variant that it replaces; the account has `balance`. */
  const replacement = (n: number, balance = 2n ** 255n): PreparedReplacement => ({
    extra: { holder: user, currency: native, amount: 1n, balance },
    mostGas: 1n,
    sign: Effect.succeed({ transactionId: TransactionId.make(id(7000 + n)), raw: `variant ${n}` })
  })

  test(
    "keeps every variant of a payment under its one sequence, and the mined one is the payment",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { count, prepared } = signer()
      const first = yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(4n), 9)
      yield* payments.recordSent(first)
      const second = yield* payments.replace(first, replacement(1), 10)
      assert(second !== undefined)
      assert.deepStrictEqual([second.state, second.sequence, second.transactionId], [
        "signed",
        4n,
        TransactionId.make(id(7001))
      ])
      assert.deepStrictEqual(second.variants.map(({ raw, signedAt }) => [raw, signedAt]), [["raw 4", 9], [
        "variant 1",
        10
      ]])
      // The payment has changed since it was read: nothing more is signed, and recording the older variant as sent does
      // nothing.
      assert.deepStrictEqual(yield* payments.replace(first, replacement(2), 11), second)
      yield* payments.recordSent(first)
      assert.strictEqual((yield* payments.find(first.orderId, "fill"))?.state, "signed")
      yield* payments.recordSent(second)
      const sent = yield* payments.find(first.orderId, "fill")
      assert.deepStrictEqual([sent?.state, sent?.variants.length], ["sent", 2])
      const block = { height: 5n, hash: "0x5", time: 6 }
      yield* payments.recordOutcome(first.orderId, "fill", {
        state: "included",
        transactionId: first.transactionId,
        block,
        gasPaid: 1n
      })
      const mined = yield* payments.find(first.orderId, "fill")
      assert.deepStrictEqual([mined?.transactionId, mined?.raw, mined?.variants.length], [
        first.transactionId,
        "raw 4",
        2
      ])
      assert.deepStrictEqual(yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(9n), 9), mined)
      assert.strictEqual(count(), 1)
      // A payment with a new variant is not the one that was judged to be lost.
      yield* payments.setAside(first)
      assert.isDefined(yield* payments.find(first.orderId, "fill"))
      yield* payments.setAside({ ...second, transactionId: first.transactionId })
      assert.isUndefined(yield* payments.find(first.orderId, "fill"))
      assert.isUndefined(yield* payments.replace(second, replacement(3), 12))
    })
  )

  test(
    "lets one of many concurrent replacements sign, and none beyond what the account can pay for",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const first = yield* payments.signOnce("fill", Hex32.make(id(1)), payment(1), prepared(0n, 21n), 9)
      yield* payments.signOnce("fill", Hex32.make(id(2)), payment(2), prepared(0n, 21n), 9)
      const replace = (of: StoredPayment, n: number, balance: bigint) =>
        payments.replace(of, replacement(n, balance), 10).pipe(
          Effect.retry({ times: 50, while: ({ _tag }) => _tag === "StoreUnavailable" })
        )
      const kept = yield* Effect.forEach(Array.from({ length: 12 }, (_, n) => n), (n) => replace(first, n, 21n), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(new Set(kept.map((one) => `${one?.variants.length} ${one?.transactionId}`)).size, 1)
      const second = kept[0]
      assert(second !== undefined && second.variants.length === 2)
      // Ten and one for this payment, ten for the other: 21 is the whole balance.
      assert.strictEqual((yield* Effect.flip(replace(second, 20, 21n)))._tag, "PaymentRefused")
      assert.lengthOf((yield* replace(second, 21, 22n))?.variants ?? [], 3)
      // Once it was in a block its costs are no longer counted. If it leaves the block, all of them count again.
      const third = yield* payments.find(first.orderId, "fill")
      assert(third !== undefined)
      const block = { height: 5n, hash: "0x5", time: 6 }
      yield* payments.recordOutcome(first.orderId, "fill", {
        state: "included",
        transactionId: third.transactionId,
        block,
        gasPaid: 1n
      })
      assert.strictEqual((yield* Effect.flip(replace(third, 22, 22n)))._tag, "PaymentRefused")
      assert.strictEqual((yield* replace(third, 23, 23n))?.state, "signed")
    })
  )

  test(
    "signs no refund for a deposit that was filled, nor a fill for one that was refunded, under concurrency",
    Effect.gen(function*() {
      const payments = yield* Payments
      const deposits = yield* Deposits
      const { prepared } = signer()
      const orders = Array.from({ length: 8 }, (_, n) => n)
      yield* deposits.note(named(orders.map((n) => deposit(n, payment(n).orderId))), 7)
      const sign = (n: number, leg: "fill" | "refund") => {
        const { onchainId } = deposit(n, payment(n).orderId)
        const name = leg === "fill" ? leg : `refund:${onchainId}` as const
        return payments.signOnce(name, onchainId, payment(n), prepared(0n), 9).pipe(Effect.retry({ times: 50 }))
      }
      for (const n of orders) {
        const [one, other] = yield* Effect.all([sign(n, "fill"), sign(n, "refund")], { concurrency: "unbounded" })
        assert.deepStrictEqual(one, other)
      }
      const fill = yield* sign(20, "fill")
      assert.strictEqual((yield* sign(20, "refund")).leg, "fill")
      yield* payments.recordOutcome(fill.orderId, "fill", {
        state: "reverted",
        transactionId: fill.transactionId,
        block: { height: 5n, hash: "0x5", time: 6 },
        gasPaid: 1n
      })
      // A final revert has paid nothing, so now the deposit is refunded.
      assert.match((yield* sign(20, "refund")).leg, /^refund:/)
    })
  )

  test(
    "signs nothing while the payment's chain or its deposit's is halted, and records nothing that a halted chain shows",
    Effect.gen(function*() {
      const payments = yield* Payments
      const pauses = yield* Pauses
      const deposits = yield* Deposits
      const { count, prepared } = signer()
      const halt = (chainId: ChainId) => {
        const scope = { _tag: "Halt", chainId, height: 1n, expected: "0x1", found: "0x2" } as const
        return pauses.add({ id: pauseId(scope), scope, reason: "", createdAt: 1 })
      }
      const own = deposit(1, payment(1).orderId)
      yield* deposits.note(named([own]), 7)
      const sign = payments.signOnce("fill", own.onchainId, payment(1), prepared(4n), 9)
      // The deposit is on alpha, and paid on beta.
      for (const chainId of [alpha, beta]) {
        const { id } = yield* halt(chainId)
        assert.strictEqual((yield* Effect.flip(sign))._tag, "PaymentsHalted")
        yield* pauses.remove(id)
      }
      assert.strictEqual(count(), 0)
      const signed = yield* sign
      assert.strictEqual(signed.sequence, 4n)
      const record = payments.recordOutcome(signed.orderId, "fill", {
        state: "included",
        transactionId: signed.transactionId,
        block: { height: 5n, hash: "0x5", time: 6 },
        gasPaid: 1n
      })
      const { id } = yield* halt(beta)
      assert.deepStrictEqual(yield* sign, signed)
      assert.isFalse(yield* record)
      assert.strictEqual((yield* payments.find(signed.orderId, "fill"))?.state, "signed")
      yield* pauses.remove(id)
      yield* halt(alpha)
      assert.isTrue(yield* record)
      assert.strictEqual((yield* payments.find(signed.orderId, "fill"))?.state, "included")
    })
  )

  test(
    "returns an order's payments, and whether more may be missing, from one moment",
    Effect.gen(function*() {
      const payments = yield* Payments
      const { prepared } = signer()
      const own = deposit(1, payment(1).orderId)
      const refund = `refund:${own.onchainId}` as const
      const standing = payments.standing(payment(1).orderId, ["fill", "fallback", refund], [chain])
      assert.deepStrictEqual(yield* standing, { payments: [], held: undefined, hasRefund: false })
      const fill = yield* payments.signOnce("fill", own.onchainId, payment(1), prepared(4n), 9)
      assert.deepStrictEqual((yield* standing).payments, [fill])
      assert.deepStrictEqual((yield* payments.standing(payment(1).orderId, [refund], [])).payments, [])
      yield* payments.setAside(fill)
      assert.deepStrictEqual((yield* standing).payments, [])
      const other = deposit(2, payment(1).orderId)
      yield* payments.signOnce(`refund:${other.onchainId}`, other.onchainId, payment(1), prepared(5n), 9)
      // Of whichever deposit, also where it is not asked for.
      assert.deepStrictEqual(yield* standing, { payments: [], held: undefined, hasRefund: true })
      assert.isFalse((yield* payments.standing(payment(2).orderId, [refund], [])).hasRefund)
      yield* payments.recordOutcome(payment(1).orderId, `refund:${other.onchainId}`, {
        state: "reverted",
        transactionId: (yield* payments.find(payment(1).orderId, `refund:${other.onchainId}`))?.transactionId ??
          fill.transactionId,
        block: { height: 5n, hash: "0x5", time: 6 },
        gasPaid: 1n
      })
      assert.isFalse((yield* standing).hasRefund)
    })
  )

  test(
    "signs one of a fill, a fallback and a refund for a deposit, and one of a fill and a fallback for an order, under concurrency",
    Effect.gen(function*() {
      const payments = yield* Payments
      const deposits = yield* Deposits
      const { prepared } = signer()
      const orders = Array.from({ length: 24 }, (_, n) => n)
      // Two deposits for every order.
      const onchainId = (n: number, second = 0) => deposit(n + 100 * second, payment(n).orderId).onchainId
      yield* deposits.note(
        named(orders.flatMap((n) => [0, 1].map((second) => deposit(n + 100 * second, payment(n).orderId)))),
        7
      )
      const sign = (kind: "fill" | "fallback" | "refund" | "excess", n: number, second = 0) => {
        const leg = kind === "fill" || kind === "fallback" ? kind : `${kind}:${onchainId(n, second)}` as const
        return payments.signOnce(leg, onchainId(n, second), payment(n), prepared(0n), 9).pipe(
          Effect.retry({ times: 50 })
        )
      }
      const revert = (paid: StoredPayment) =>
        payments.recordOutcome(paid.orderId, paid.leg, {
          state: "reverted",
          transactionId: paid.transactionId,
          block: { height: 5n, hash: "0x5", time: 6 },
          gasPaid: 1n
        })
      for (const n of orders.slice(0, 8)) {
        const [one, ...others] = yield* Effect.all([sign("fill", n), sign("fallback", n), sign("refund", n)], {
          concurrency: "unbounded"
        })
        for (const other of others) assert.deepStrictEqual(other, one)
      }
      for (const n of orders.slice(8, 20)) {
        const [one, other] = yield* Effect.all([sign("fill", n), sign("fallback", n, 1)], { concurrency: "unbounded" })
        assert.deepStrictEqual(one, other)
      }
      // One after the other: a final revert has paid nothing, and a payment that is valid excludes the next one.
      yield* revert(yield* sign("fill", 20))
      const fallback = yield* sign("fallback", 20)
      assert.deepStrictEqual([fallback.leg, (yield* sign("refund", 20)).leg, (yield* sign("excess", 20)).leg], [
        "fallback",
        "fallback",
        `excess:${onchainId(20)}`
      ])
      // The order's other deposit is refunded, not filled.
      assert.deepStrictEqual([(yield* sign("fill", 20, 1)).leg, (yield* sign("refund", 20, 1)).leg], [
        "fallback",
        `refund:${onchainId(20, 1)}`
      ])
      yield* revert(yield* sign("fallback", 21))
      assert.match((yield* sign("refund", 21)).leg, /^refund:/)
      assert.match((yield* sign("fallback", 21)).leg, /^refund:/)
    })
  )

  test(
    "signs an excess beside the fill and never beside the refund of its deposit, and one for each order",
    Effect.gen(function*() {
      const payments = yield* Payments
      const deposits = yield* Deposits
      const { prepared } = signer()
      const onchainId = (n: number) => deposit(n, payment(n).orderId).onchainId
      /** A payment of order n, for its own deposit unless another is given. */
      const sign = (kind: "fill" | "refund" | "excess", n: number, of = n) => {
        const leg = kind === "fill" ? kind : `${kind}:${onchainId(of)}` as const
        return Effect.map(
          payments.signOnce(leg, onchainId(of), payment(n), prepared(0n), 9).pipe(Effect.retry({ times: 50 })),
          ({ leg }) => leg
        )
      }
      const block = { height: 5n, hash: "0x5", time: 6 }
      const revert = Effect.fnUntraced(function*(n: number) {
        const fill = yield* payments.find(payment(n).orderId, "fill")
        yield* payments.recordOutcome(payment(n).orderId, "fill", {
          state: "reverted",
          transactionId: fill?.transactionId ?? TransactionId.make(id(0)),
          block,
          gasPaid: 1n
        })
      })
      const orders = Array.from({ length: 48 }, (_, n) => n)
      yield* deposits.note(named(orders.map((n) => deposit(n, payment(n).orderId))), 7)

      const excess = (n: number) => `excess:${onchainId(n)}`
      assert.deepStrictEqual([yield* sign("fill", 0), yield* sign("excess", 0), yield* sign("refund", 0)], [
        "fill",
        excess(0),
        "fill"
      ])
      const [fill, sentBack] = [
        yield* payments.find(payment(0).orderId, "fill"),
        yield* payments.find(payment(0).orderId, `excess:${onchainId(0)}`)
      ]
      assert.deepStrictEqual([fill?.variants.length, sentBack?.variants.length, sentBack?.amount], [
        1,
        1,
        payment(0).amount
      ])
      // A reverted fill has paid nothing, but the excess of its deposit was returned and still excludes a refund.
      yield* revert(0)
      assert.strictEqual(yield* sign("refund", 0), excess(0))
      assert.deepStrictEqual([yield* sign("excess", 1), yield* sign("fill", 1)], [excess(1), "fill"])
      const refunded = yield* sign("refund", 2)
      assert.deepStrictEqual([yield* sign("excess", 2), yield* sign("fill", 2)], [refunded, refunded])
      // The fill now belongs to another deposit, which is the same money in another block: its excess has been
      // returned.
      yield* sign("fill", 3)
      yield* sign("excess", 3)
      const handed = yield* payments.find(payment(3).orderId, "fill")
      if (handed === undefined) throw new Error("the fill is kept")
      yield* payments.handOver(handed, onchainId(4), 9)
      assert.strictEqual(yield* sign("excess", 3, 4), excess(3))
      // Another deposit of the order is refunded, whatever happened to this one.
      assert.strictEqual(yield* sign("refund", 3, 5), `refund:${onchainId(5)}`)

      for (const n of orders.slice(8, 24)) {
        const [one, other] = yield* Effect.all([sign("excess", n), sign("refund", n)], { concurrency: "unbounded" })
        assert.strictEqual(one, other)
      }
      for (const n of orders.slice(24, 48)) {
        yield* sign("fill", n)
        const [one, other] = yield* Effect.all([sign("excess", n), sign("excess", n, n - 1)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(one, other)
      }
    })
  )

  test(
    "stores a sweep by its own id, and finds it again",
    Effect.gen(function*() {
      const payments = yield* Payments
      const own = OrderId.make(id(1077))
      const sweep: SweepPayment = {
        _tag: "Sweep",
        chain,
        currency,
        recipient: user,
        amount: 0n,
        orderId: own,
        sweep: {
          address: user,
          orderId: OrderId.make(id(1001)),
          depositor: user,
          depositId: OrderId.make(id(1002)),
          currency: native
        }
      }
      const signed = yield* payments.signOnce("sweep", own, sweep, signer().prepared(3n), 9)
      assert.deepInclude(signed, {
        orderId: own,
        leg: "sweep",
        deposit: own,
        amount: 0n,
        currency: native,
        sequence: 3n
      })
      assert.deepStrictEqual(yield* payments.signOnce("sweep", own, sweep, signer().prepared(9n), 10), signed)
      assert.deepStrictEqual(yield* payments.find(own, "sweep"), signed)
    })
  )
})
