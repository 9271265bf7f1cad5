/**
 * A quote's terms over time: fixed rates, a time to live, late deposits, price impacts. At the end alpha's clock is
 * days ahead.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, toHex } from "viem"
import { abi as feedAbi } from "../../../../adapters/ethereum/contracts/artifacts/TestFeed.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { ended, execute, postQuote, QuoteAnswer, sendCall } from "../../testing/Client.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { ETH, held, USDC, USDT, WETH } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { verified } from "../../testing/Verified.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const sponsor = { id: "sponsor", wallet: toHex(0xf1_0000, { size: 20 }), balance: 100_000_000n }
const poor = { id: "poor", wallet: toHex(0xf1_0001, { size: 20 }), balance: 200_000n }

class Running extends fixtureOf<Running>()(
  "test/QuoteTermsRunning",
  startFixture(startNetwork, {
    settings: { FACTS_MAX_AGE_MS: "0", RISK_SPREAD_BPS: "8;WETH/USDT=1500" },
    sponsors: [sponsor, poor]
  })
) {}

const fresh = (index: number) => toHex(0xf1d0000000000 + index, { size: 20 })

const body = (index: number, from: TestCurrency, to: TestCurrency, changes: object = {}) =>
  Effect.map(
    Running,
    (running) =>
      requestOf(running, index, [from, to], { recipient: fresh(index), refundTo: fresh(100 + index), ...changes })
  )

const Fixed = Schema.Struct({
  details: Schema.Struct({
    isFixedRate: Schema.Boolean,
    fixedRateFee: Schema.optionalKey(Schema.Struct({ usd: Schema.String })),
    currencyOut: Schema.Struct({ amount: Schema.BigIntFromString })
  })
})

const ask = Effect.fnUntraced(function*(request: object, headers: Readonly<Record<string, string>> = {}) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request, headers)
  assert.strictEqual(answer.status, 200, answer.text)
  return {
    quoted: Schema.decodeUnknownSync(QuoteAnswer)(answer.json()),
    ...Schema.decodeUnknownSync(Fixed)(answer.json())
  }
})

const refused = Effect.fnUntraced(function*(request: object, headers: Readonly<Record<string, string>> = {}) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request, headers)
  return [
    answer.status,
    Schema.decodeUnknownSync(Schema.Struct({ errorCode: Schema.String, errorData: Schema.optionalKey(Schema.String) }))(
      answer.json()
    )
  ] as const
})

const pay = Effect.fnUntraced(function*(index: number, quoted: QuoteAnswer) {
  const { chains: { alpha }, key, url } = yield* Running
  yield* execute(alpha, key(index), quoted)
  return yield* ended(url, quoted)
})

/** Dollars for an ether, on both chains. */
const setEther = Effect.fnUntraced(function*(dollars: bigint) {
  const { chains: { alpha, beta }, key } = yield* Running
  const data = encodeFunctionData({ abi: feedAbi, functionName: "setAnswer", args: [dollars * 10n ** 8n] })
  for (const chain of [alpha, beta]) yield* sendCall(chain, key(9), { to: addressOf("FeedETH"), data })
  // Feeds are read at most once a second.
  yield* Effect.sleep("1200 millis")
})

/** Alpha's next block is this much later, and so is everything after it. */
const later = Effect.fnUntraced(function*(seconds: number) {
  const { chains: { alpha } } = yield* Running
  yield* alpha.request("evm_increaseTime", [seconds])
  yield* alpha.mine(1)
})

const fixed = (rate: string) => ({ subsidizeFees: true, fixedRate: rate })
const headers = keyOf(sponsor)

layer(Running.layer, { excludeTestServices: true })("what a quote promises over time", (it) => {
  it.effect("a fixed rate is delivered, and the sponsor pays what it costs against the market", () =>
    Effect.gen(function*() {
      const { chains, store, url } = yield* Running
      const request = yield* body(0, USDC, USDT, fixed("1:1.005"))
      yield* verified(url, chains, request, headers)
      const better = yield* ask(request, headers)
      assert.deepStrictEqual([better.details.isFixedRate, better.details.fixedRateFee?.usd], [true, "-0.125000"])
      assert.strictEqual(better.details.currencyOut.amount, 25_125_000n)
      const before = (yield* ledgerOf(store))[`Wallet:${sponsor.wallet}`] ?? 0n
      assert.strictEqual((yield* pay(0, better.quoted)).status, "success")
      assert.strictEqual(yield* held(chains.beta, USDT, fresh(0)), 25_125_000n)
      // The sponsor pays the half percent, with the other fees.
      const actual = yield* eventually("it is settled", actualOf(url, better.quoted), (found) => found !== undefined)
      assert.isAtLeast(Number(actual?.components["swap"]?.sponsored.amount), 125_000)
      assert.isAtLeast(Number(before - ((yield* ledgerOf(store))[`Wallet:${sponsor.wallet}`] ?? 0n)), 125_000)
      // In the other direction the user pays more than the market, and is told so.
      const worse = yield* ask(yield* body(1, USDC, USDT, fixed("1:0.99")), headers)
      assert.deepStrictEqual([worse.details.fixedRateFee?.usd, worse.details.currencyOut.amount], [
        "0.250000",
        24_750_000n
      ])
      assert.strictEqual((yield* pay(1, worse.quoted)).status, "success")
      assert.strictEqual(yield* held(chains.beta, USDT, fresh(1)), 24_750_000n)
      assert.isFalse((yield* ask(yield* body(1, USDC, USDT))).details.isFixedRate)
    }))

  it.effect("a fixed rate is refused far from the market, without key or sponsor, beyond cap or balance, and at an open address", () =>
    Effect.gen(function*() {
      const far = yield* refused(yield* body(2, USDC, USDT, fixed("1:1.0101")), headers)
      assert.deepStrictEqual(far, [400, { errorCode: "INVALID_REQUEST", errorData: "fixedRate" }])
      assert.deepStrictEqual((yield* refused(yield* body(2, USDC, USDT, fixed("1:1.005"))))[0], 401)
      assert.deepStrictEqual(yield* refused(yield* body(2, USDC, USDT, { fixedRate: "1:1" })), [400, {
        errorCode: "INVALID_REQUEST",
        errorData: "fixedRate"
      }])
      const capped = yield* refused(
        yield* body(2, USDC, USDT, { ...fixed("1:1.005"), maxSubsidizationAmount: "100000" }),
        headers
      )
      assert.deepStrictEqual(capped, [400, { errorCode: "INVALID_REQUEST", errorData: "fixedRate" }])
      const unselected = yield* refused(
        yield* body(2, USDC, USDT, { ...fixed("1:1.005"), sponsoredFeeComponents: ["execution"] }),
        headers
      )
      assert.deepStrictEqual(unselected, [400, { errorCode: "INVALID_REQUEST", errorData: "fixedRate" }])
      assert.strictEqual(
        (yield* refused(yield* body(2, USDC, USDT, { ...fixed("1:1.005"), amount: "100000000" }), keyOf(poor)))[1]
          .errorCode,
        "INSUFFICIENT_APP_BALANCE"
      )
      const open = yield* refused(yield* body(2, USDC, USDT, { ...fixed("1:1.005"), useDepositAddress: true }), headers)
      assert.deepStrictEqual(open, [400, { errorCode: "INVALID_REQUEST", errorData: "fixedRate" }])
    }))

  it.effect("a swap that loses more than a tenth is refused, unless the request overrides that", () =>
    Effect.gen(function*() {
      // A spread of 15 percent: no other configured pair loses that much.
      const request = yield* body(8, WETH, USDT)
      assert.strictEqual((yield* refused(request))[1].errorCode, "SWAP_IMPACT_TOO_HIGH")
      const { chains: { beta } } = yield* Running
      const { details, quoted } = yield* ask({ ...request, overridePriceImpact: true })
      assert.isBelow(Number(details.currencyOut.amount), 25_000_000 * 0.85)
      assert.strictEqual((yield* pay(8, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, USDT, fresh(8)), details.currencyOut.amount)
    }))

  it.effect("a deposit after the price hold: the fixed rate stays while the sponsor's quoted part covers it, otherwise the deposit is refunded", () =>
    Effect.gen(function*() {
      const { chains: { beta } } = yield* Running
      // 2500 dollars an ether. The rates are half a percent better, and half a percent worse, than the market.
      const better = { amount: "1000000000" }
      const covered = yield* ask(yield* body(3, USDC, ETH, { ...better, ...fixed("2500:1.005") }), headers)
      const uncovered = yield* ask(yield* body(4, USDC, ETH, { ...better, ...fixed("2500:1.005") }), headers)
      const floating = yield* ask(yield* body(5, USDC, ETH, { ...better, subsidizeFees: true }), headers)
      yield* later(40)
      // An ether is cheaper: the rate costs nothing now, and is still honoured.
      yield* setEther(2_400n)
      assert.strictEqual((yield* pay(3, covered.quoted)).status, "success")
      assert.strictEqual(yield* held(beta, ETH, fresh(3)), covered.details.currencyOut.amount)
      assert.strictEqual((yield* pay(5, floating.quoted)).status, "success")
      assert.isAbove(Number(yield* held(beta, ETH, fresh(5))), Number(floating.details.currencyOut.amount) * 1.03)
      // An ether is dearer than the sponsor's part of the quote covers.
      yield* setEther(2_520n)
      const end = yield* pay(4, uncovered.quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "SLIPPAGE"])
      assert.strictEqual(yield* held(beta, ETH, fresh(4)), 0n)
      yield* setEther(2_500n)
    }))

  it.effect("a quote's time to live: a deposit after it is refunded, one within it is filled", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta } } = yield* Running
      // Alpha's clock is 40 seconds ahead of the service's.
      const dead = yield* ask(yield* body(6, USDC, USDC, { ttl: 30 }))
      const alive = yield* ask(yield* body(7, USDC, USDC, { ttl: 3_600 }))
      const end = yield* pay(6, dead.quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "TTL_EXPIRED"])
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(106))), 20_000_000)
      assert.strictEqual((yield* pay(7, alive.quoted)).status, "success")
      assert.isAbove(Number(yield* held(beta, USDC, fresh(7))), 20_000_000)
    }))

  it.effect("a deposit after the order's deadline: filled within latePaymentSlippageTolerance, and refunded without it", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta } } = yield* Running
      const tolerant = yield* ask(
        yield* body(6, USDC, USDC, { recipient: fresh(16), latePaymentSlippageTolerance: "500" })
      )
      const strict = yield* ask(yield* body(7, USDC, USDC, { recipient: fresh(17), refundTo: fresh(117) }))
      yield* later(7 * 86_400 + 60)
      const end = yield* pay(7, strict.quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "ORDER_EXPIRED"])
      assert.isAbove(Number(yield* held(alpha, USDC, fresh(117))), 20_000_000)
      assert.strictEqual((yield* pay(6, tolerant.quoted)).status, "success")
      assert.isAbove(Number(yield* held(beta, USDC, fresh(16))), 20_000_000)
    }))
})
