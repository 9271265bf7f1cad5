/**
 * Currencies that the solver does not take are swapped before the deposit: real chains, real Uniswap, a hub and an
 * oracle that settle it.
 */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { decodeFunctionData, encodeFunctionData, erc20Abi, getAddress, parseEventLogs, toHex } from "viem"
import type { Hex, TransactionReceipt } from "viem"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { abi as swapDepositorAbi } from "../../../../adapters/ethereum/contracts/artifacts/SwapDepositor.ts"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { Order } from "../../../../src/domain/order/Order.ts"
import { orderId } from "../../../../src/domain/order/OrderId.ts"
import { fallbackUntil } from "../../../../src/domain/hub/settling/SettledFallback.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { requestOf, startFixture } from "../../testing/Fixture.ts"
import { ended, execute, postQuote, quote, QuoteAnswer, reader, sendCall, status } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { startSettling } from "../../testing/SettlingNetwork.ts"
import { keyOf } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { ETH, GEM, held, USDC, USDT, WETH } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"
import { verifierOf } from "../../testing/Verified.ts"

const sponsor = { id: "origin-swaps", wallet: toHex(0x0517_0000, { size: 20 }), balance: 10_000_000n }

class Running extends fixtureOf<Running>()(
  "test/OriginSwapsRunning",
  Effect.map(
    startFixture(startSettling(1, 1), { sponsors: [sponsor], settings: ({ settling }) => settling }),
    (fixture) => ({ ...fixture, made: new Array<QuoteAnswer>() })
  )
) {}

const fresh = (index: number) => toHex(0x0517_0000_0000 + index, { size: 20 })
const SWAP_DEPOSITOR = addressOf("SwapDepositor")

/** Of alpha's GEM, for something on beta. */
const body = (index: number, to: TestCurrency, changes: object = {}) =>
  Effect.map(
    Running,
    (running) =>
      requestOf(running, index, [GEM, to], { recipient: fresh(index), refundTo: fresh(1000 + index), ...changes })
  )

const Amount = Schema.Struct({
  amount: Schema.BigIntFromString,
  minimumAmount: Schema.BigIntFromString,
  currency: Schema.Struct({ symbol: Schema.String })
})
const Leg = Schema.Struct({
  router: Schema.String,
  includedSwapSources: Schema.Array(Schema.String),
  inputCurrency: Amount,
  outputCurrency: Amount
})
const Detailed = Schema.Struct({
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({
    currencyIn: Amount,
    currencyOut: Amount,
    refundCurrency: Amount,
    slippageTolerance: Schema.Struct({
      total: Schema.String,
      origin: Schema.Struct({ value: Schema.BigIntFromString, percent: Schema.String }),
      destination: Schema.Struct({ value: Schema.BigIntFromString, percent: Schema.String })
    }),
    swapImpact: Schema.Struct({ percent: Schema.String }),
    route: Schema.Struct({ origin: Leg, destination: Leg })
  })
})

/** The quote in executable form, and in displayed form. */
const asked = Effect.fnUntraced(function*(request: object, headers: Readonly<Record<string, string>> = {}) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request, headers)
  assert.strictEqual(answer.status, 200, answer.text)
  return {
    quoted: Schema.decodeUnknownSync(QuoteAnswer)(answer.json()),
    shown: Schema.decodeUnknownSync(Detailed)(answer.json())
  }
})

const refused = Effect.fnUntraced(function*(request: object, ...words: ReadonlyArray<string>) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, request)
  assert.strictEqual(answer.status, 400, answer.text)
  for (const word of words) assert.include(answer.text, word)
})

/** The SwapDepositor's call in the step of a quote. */
const callOf = (quoted: QuoteAnswer) => {
  const data = quoted.steps.at(-1)?.items[0]?.data
  assert.strictEqual(getAddress(data?.to ?? "0x"), SWAP_DEPOSITOR)
  return decodeFunctionData({ abi: swapDepositorAbi, data: data?.data ?? "0x" }).args?.[0] ??
    assert.fail("no arguments")
}

/** The deposit according to the depository. */
const depositIn = (receipt: TransactionReceipt) => {
  const [log, ...more] = parseEventLogs({
    abi: depositoryAbi,
    logs: receipt.logs,
    eventName: ["RelayErc20Deposit", "RelayNativeDeposit"]
  })
  assert.lengthOf(more, 0)
  return log === undefined ? assert.fail("no deposit") : log.args
}

/** Sells this much GEM on v2 for ether, or on v3 for USDC, before. */
const sell = Effect.fnUntraced(function*(index: number, source: string, to: TestCurrency, amount: bigint) {
  const { chains: { alpha }, key, url } = yield* Running
  const quoted = yield* quote(
    url,
    yield* body(index, to, {
      destinationChainId: alpha.chainId,
      amount: amount.toString(),
      includedSwapSources: [source],
      overridePriceImpact: true,
      slippageTolerance: "5000",
      recipient: fresh(9_999)
    })
  )
  const receipts = yield* execute(alpha, key(index), quoted)
  assert.strictEqual(receipts.at(-1)?.status, "success")
})

const settledOf = (url: string, requestId: string) =>
  Effect.gen(function*() {
    const answer = yield* get(`${url}/requests?id=${requestId}`)
    return Schema.decodeUnknownSync(Schema.Struct({
      requests: Schema.Array(
        Schema.Struct({ data: Schema.Struct({ settlements: Schema.Array(Schema.Struct({ state: Schema.String })) }) })
      )
    }))(answer.json()).requests[0]?.data.settlements ?? []
  })

/** To be attested by the oracle and executed on the hub. Checked at the end, for all at once. */
const toSettle = Effect.fnUntraced(function*(quoted: QuoteAnswer) {
  ;(yield* Running).made.push(quoted)
})

const settles = Effect.fnUntraced(function*(quoted: QuoteAnswer) {
  const { url } = yield* Running
  yield* eventually(
    "it is settled",
    settledOf(url, quoted.steps[0]?.requestId ?? ""),
    (found) => found.length > 0 && found.every(({ state }) => state === "settled")
  )
})

const Ordered = Schema.Struct({ protocol: Schema.Struct({ v2: Schema.Struct({ orderData: Order }) }) })
const orderOf = (answer: unknown): Order => Schema.decodeUnknownSync(Ordered)(answer).protocol.v2.orderData

/** The same quote with an order that accepts one unit of the deposit. The signature is not renewed. */
const forNothing = (
  text: string,
  { minimum, orderId: named }: { readonly minimum: bigint; readonly orderId: Hex }
): unknown => {
  const order = orderOf(JSON.parse(text))
  const [input] = order.inputs
  if (input === undefined) return assert.fail("no input")
  const refunds = input.refunds.map((refund) =>
    refund.chainId === input.payment.chainId ? { ...refund, minimumAmount: 1n } : refund
  )
  const forged: Order = { ...order, inputs: [{ payment: { ...input.payment, amount: 1n }, refunds }] }
  const id = Result.getOrThrow(orderId(forged, () => families["ethereum-vm"]))
  const word = (value: bigint) => toHex(value, { size: 32 }).slice(2)
  const answer: unknown = JSON.parse(
    text.replaceAll(named.slice(2), id.slice(2)).replaceAll(word(minimum), word(1n)).replaceAll(`"${minimum}"`, `"1"`)
  )
  const { protocol, ...rest } = Schema.decodeUnknownSync(
    Schema.Struct({ protocol: Schema.Struct({ v2: Schema.Record(Schema.String, Schema.Unknown) }) })
  )(answer)
  return {
    ...Object(answer),
    ...rest,
    protocol: { v2: { ...protocol.v2, orderData: Schema.encodeSync(Order)(forged) } }
  }
}

const cases = [
  [USDC, "EXACT_INPUT", { includedOriginSwapSources: ["uniswap-v3"] }],
  [ETH, "EXACT_INPUT", { includedOriginSwapSources: ["uniswap-v2"] }],
  [ETH, "EXACT_OUTPUT", {}],
  [USDC, "EXACT_OUTPUT", { slippageTolerance: "100" }],
  [USDT, "EXPECTED_OUTPUT", {}],
  [USDC, "EXACT_INPUT", { appFees: [{ recipient: fresh(1), fee: "30" }] }],
  [USDC, "EXACT_INPUT", { topupGas: true }],
  [GEM, "EXACT_INPUT", {}],
  [GEM, "EXACT_OUTPUT", {}]
] as const satisfies ReadonlyArray<readonly [TestCurrency, string, object]>

layer(Running.layer, { excludeTestServices: true })("a swap before the deposit", (it) => {
  for (const [index, [to, tradeType, changes]] of cases.entries()) {
    it.effect(`delivers ${to.symbol} for GEM exactly as quoted when nothing moves: ${tradeType}, ${JSON.stringify(changes).slice(0, 50)}`, () =>
      Effect.gen(function*() {
        const { chains: { alpha, beta }, key, url, user } = yield* Running
        const request = yield* body(index, to, {
          tradeType,
          ...(tradeType === "EXACT_INPUT" ? {} : { amount: to.some.toString() }),
          ...changes
        })
        const { quoted, shown: { details, fees } } = yield* asked(request)
        assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["approve", "deposit"])
        const call = callOf(quoted)
        const had = yield* held(alpha, GEM, user(index))
        const receipts = yield* execute(alpha, key(index), quoted)
        const receipt = receipts.at(-1) ?? assert.fail("nothing was sent")
        assert.strictEqual(receipt.status, "success")
        const deposit = depositIn(receipt)
        const end = yield* ended(url, quoted)
        assert.deepStrictEqual([end.status, end.failReason, end.refunds, end.inTxHashes], ["success", "N/A", [], [
          receipt.transactionHash
        ]])

        const paid = had - (yield* held(alpha, GEM, user(index)))
        const [quotedIn, quotedOut] = [
          BigInt(quoted.details.currencyIn.amount),
          BigInt(quoted.details.currencyOut.amount)
        ]
        const got = yield* held(beta, to, fresh(index))
        assert.strictEqual(paid, quotedIn)
        // An expected output may be a few units higher.
        if (tradeType === "EXPECTED_OUTPUT") assert.isTrue(got >= quotedOut && got < quotedOut + 1_000n, `${got}`)
        else assert.strictEqual(got, quotedOut)
        if (tradeType !== "EXACT_INPUT") assert.strictEqual(quotedOut, to.some)
        // The deposit is the whole output, the user's, and as shown.
        assert.deepStrictEqual([deposit.from, deposit.id, deposit.amount], [
          user(index),
          call.orderId,
          details.route.origin.outputCurrency.amount
        ])
        assert.isTrue(call.minimum <= deposit.amount)
        assert.strictEqual(call.minimum, details.route.origin.outputCurrency.minimumAmount)
        assert.deepStrictEqual([details.refundCurrency.amount, details.refundCurrency.currency.symbol], [
          deposit.amount,
          details.route.origin.outputCurrency.currency.symbol
        ])
        assert.strictEqual(details.route.origin.router, details.route.origin.includedSwapSources[0])
        assert.strictEqual(details.route.destination.includedSwapSources.length, to === GEM ? 1 : 0)
        assert.strictEqual(
          tradeType === "EXACT_OUTPUT" ? call.amount - quotedIn : deposit.amount - call.minimum,
          details.slippageTolerance.origin.value
        )
        if (to !== GEM && tradeType !== "EXACT_OUTPUT") {
          assert.match(details.slippageTolerance.origin.percent, /^[12]\./)
        }
        // Fees are in the currency that the user pays with, and add up. The swap is among them.
        assert.strictEqual(fees["relayer"]?.currency.symbol, "GEM")
        assert.strictEqual(
          fees["relayer"]?.amount,
          (fees["relayerGas"]?.amount ?? 0n) + (fees["relayerService"]?.amount ?? 0n)
        )
        assert.isAbove(Number(fees["relayerService"]?.amount), Number(quotedIn) * 0.003)
        // Nothing is left in the intermediate contracts, and no allowance remains.
        for (const currency of [ETH, GEM, USDC]) assert.strictEqual(yield* held(alpha, currency, SWAP_DEPOSITOR), 0n)
        assert.strictEqual(
          yield* Effect.promise(() =>
            reader(alpha).readContract({
              abi: erc20Abi,
              address: GEM.address,
              functionName: "allowance",
              args: [user(index), SWAP_DEPOSITOR]
            })
          ),
          0n
        )
        yield* toSettle(quoted)
      }))
  }

  it.effect("that gives less, but at least the minimum, is filled at the price of its output", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const request = yield* body(9, USDC, {
        amount: `${10n ** 21n}`,
        includedOriginSwapSources: ["uniswap-v3"],
        slippageTolerance: "300"
      })
      const { quoted, shown: { details } } = yield* asked(request)
      yield* sell(8, "uniswap-v3", USDC, 25n * 10n ** 21n)
      const receipts = yield* execute(alpha, key(9), quoted)
      const deposit = depositIn(receipts.at(-1) ?? assert.fail("nothing was sent"))
      const end = yield* ended(url, quoted)
      assert.strictEqual(end.status, "success")
      assert.isTrue(
        callOf(quoted).minimum < deposit.amount && deposit.amount < details.route.origin.outputCurrency.amount,
        `${deposit.amount}`
      )
      const got = yield* held(beta, USDC, fresh(9))
      assert.isTrue(details.currencyOut.minimumAmount < got && got < details.currencyOut.amount, `${got}`)
      // As for a new quote now, because the user's swap moved the pools back: the output, less its fees.
      const fees = details.route.origin.outputCurrency.amount - details.currencyOut.amount
      const lessFees = deposit.amount - fees
      const service = ((details.route.origin.outputCurrency.amount - deposit.amount) * 15n) / 10_000n
      assert.isTrue(
        got - lessFees - service <= 2_000n && got - lessFees - service >= -2_000n,
        `${got} of ${deposit.amount}`
      )
      yield* toSettle(quoted)
    }))

  it.effect("that is sandwiched reverts on the chain: nothing has moved but gas, and the request waits", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url, user } = yield* Running
      const { quoted } = yield* asked(
        yield* body(7, USDC, { includedOriginSwapSources: ["uniswap-v3"], slippageTolerance: "50" })
      )
      yield* sell(6, "uniswap-v3", USDC, 50n * 10n ** 21n)
      const had = yield* held(alpha, GEM, user(7))
      const depository = yield* held(alpha, USDC, addressOf("Depository"))
      const receipts = yield* execute(alpha, key(7), quoted)
      assert.deepStrictEqual(receipts.map((receipt) => receipt.status), ["success", "reverted"])
      assert.deepStrictEqual([yield* held(alpha, GEM, user(7)), yield* held(alpha, USDC, addressOf("Depository"))], [
        had,
        depository
      ])
      assert.strictEqual((yield* status(url, quoted)).status, "waiting")
    }))

  it.effect("is refunded in the deposited currency, to refundTo, when it cannot be filled", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const { quoted, shown: { details } } = yield* asked(
        yield* body(5, USDC, { referrer: "force-refund", refundTo: fresh(50) })
      )
      const receipts = yield* execute(alpha, key(5), quoted)
      const deposit = depositIn(receipts.at(-1) ?? assert.fail("nothing was sent"))
      assert.strictEqual(details.refundCurrency.amount, deposit.amount)
      const end = yield* ended(url, quoted)
      assert.strictEqual(end.status, "refund")
      const back = yield* held(alpha, USDC, fresh(50))
      assert.isTrue(back > deposit.amount - 300_000n && back <= deposit.amount, `${back} of ${deposit.amount}`)
      assert.strictEqual(yield* held(alpha, GEM, fresh(50)), 0n)
      yield* toSettle(quoted)
    }))

  it.effect("is judged by the order's minimum: a smaller deposit, sent without a swap, is refunded as too low", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url, user } = yield* Running
      const { quoted } = yield* asked(yield* body(4, USDC, { refundTo: fresh(40), amount: `${10n ** 21n}` }))
      const { minimum, orderId } = callOf(quoted)
      const amount = (minimum * 9n) / 10n
      yield* sendCall(alpha, key(4), {
        to: USDC.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [addressOf("Depository"), amount] })
      })
      yield* sendCall(alpha, key(4), {
        to: addressOf("Depository"),
        data: encodeFunctionData({
          abi: depositoryAbi,
          functionName: "depositErc20",
          args: [user(4), USDC.address, amount, orderId]
        })
      })
      const end = yield* ended(url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"])
    }))

  it.effect("is sponsored except for what the swap itself costs", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key, url } = yield* Running
      const request = yield* body(3, USDC, { subsidizeFees: true, recipient: fresh(30) })
      const answer = yield* postQuote(url, request, keyOf(sponsor))
      assert.strictEqual(answer.status, 200, answer.text)
      const { feeSponsorship: { quoted: split } } = Schema.decodeUnknownSync(SponsoredQuote)(answer.json())
      const swap = split.components["swap"]
      for (const [name, share] of Object.entries(split.components)) {
        assert.strictEqual(BigInt(share.total.amount), BigInt(share.sponsored.amount) + BigInt(share.userPays.amount))
        if (name !== "swap") assert.strictEqual(share.userPays.amount, "0", name)
      }
      assert.strictEqual(split.userPaysTotal.amount, swap?.userPays.amount)
      const { quoted, shown: { details } } = yield* asked(request, keyOf(sponsor))
      // The swap's whole output is delivered.
      assert.strictEqual(details.currencyOut.amount, details.route.origin.outputCurrency.amount)
      yield* execute(alpha, key(3), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(beta, USDC, fresh(30)), details.currencyOut.amount)
      // The real fees are those of the deposit, and the sponsor pays all of them.
      const actual = yield* eventually("the fees are known", actualOf(url, quoted), (found) => found !== undefined)
      assert.strictEqual(actual?.userPaysTotal.amount, "0")
      assert.isTrue(
        actual !== undefined && BigInt(actual.sponsoredTotal.amount) > 0n &&
          BigInt(actual.sponsoredTotal.amount) < 1_000_000n
      )
    }))

  it.effect("is made by the solver within one chain, too, when a fill is needed", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, key, url } = yield* Running
      const { quoted } = yield* asked(
        yield* body(2, USDC, { destinationChainId: alpha.chainId, forceSolverExecution: true, recipient: fresh(20) })
      )
      // Not through the currency that it pays out itself: that would be a deposit of USDC for USDC.
      assert.strictEqual(callOf(quoted).output, WETH.address)
      yield* execute(alpha, key(2), quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(yield* held(alpha, USDC, fresh(20)), BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("respects the filters of the request, and is refused by name where it cannot be made", () =>
    Effect.gen(function*() {
      const routerOf = Effect.fnUntraced(function*(changes: object) {
        return (yield* asked(yield* body(1, ETH, changes))).shown.details.route.origin.router
      })
      assert.strictEqual(yield* routerOf({ includedOriginSwapSources: ["uniswap-v2"] }), "uniswap-v2")
      assert.strictEqual(yield* routerOf({ excludedSwapSources: ["uniswap-v2"] }), "uniswap-v3")
      yield* routerOf({ includedDestinationSwapSources: ["uniswap-v2"] })
      yield* refused(yield* body(1, ETH, { disableOriginSwaps: true }), "NO_SWAP_ROUTES_FOUND", "GEM")
      yield* refused(
        yield* body(1, ETH, { includedSwapSources: ["uniswap-v2"], excludedSwapSources: ["uniswap-v2"] }),
        "NO_SWAP_ROUTES_FOUND"
      )
      yield* refused(yield* body(1, USDC, { amount: `${10n ** 16n}` }), "AMOUNT_TOO_LOW")
      yield* refused(yield* body(1, USDC, { amount: `${10n ** 25n}` }), "SWAP_IMPACT_TOO_HIGH")
      const costly = yield* asked(yield* body(1, USDC, { amount: `${2n * 10n ** 24n}`, overridePriceImpact: true }))
      assert.isBelow(Number(costly.shown.details.currencyOut.amount), 3.6e12)
      for (
        const changes of [{ useDepositAddress: true }, { usePermit: true }, { explicitDeposit: false }, {
          latePaymentSlippageTolerance: "100"
        }]
      ) {
        yield* refused(
          yield* body(1, USDC, changes),
          "INVALID_REQUEST",
          Object.keys(changes)[0] ?? "",
          "swapped before the deposit"
        )
      }
    }))

  it.effect("is attested by the oracle and settled on the hub like every other deposit, filled or refunded", () =>
    Effect.gen(function*() {
      const { made } = yield* Running
      assert.lengthOf(made, cases.length + 2)
      yield* Effect.forEach(made, settles, { concurrency: "unbounded" })
    }))

  it.effect("can fall back to the input of the fill's swap, for the expected deposit", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const changes of [{}, { slippageTolerance: "3000" }, { tradeType: "EXPECTED_OUTPUT" }]) {
        const request = yield* body(1, GEM, {
          includeProtocolData: true,
          useFallbacks: true,
          overridePriceImpact: true,
          ...changes
        })
        const answer = (yield* postQuote(url, request)).json()
        const { details: { route } } = Schema.decodeUnknownSync(Detailed)(answer)
        assert.isDefined(fallbackUntil(orderOf(answer), {
          deposited: route.origin.outputCurrency.amount,
          amountOut: route.destination.inputCurrency.amount,
          recipient: Address.make(fresh(1))
        }))
      }
    }))

  it.effect("is verified by a client except for the call of the source's router", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      for (
        const changes of [{}, { tradeType: "EXACT_OUTPUT", amount: "20000000", slippageTolerance: "100" }, {
          tradeType: "EXPECTED_OUTPUT",
          amount: "20000000"
        }]
      ) {
        const request = { ...(yield* body(1, USDC, changes)), includeProtocolData: true }
        const verify = yield* verifierOf(chains, request)
        const answer = yield* postQuote(url, request)
        const { checks, ok } = verify(answer.json())
        assert.isFalse(ok)
        const notOk = (of: typeof checks) =>
          of.filter(({ outcome }) => outcome !== "ok").map(({ name, outcome }) => [name, outcome])
        assert.deepStrictEqual(notOk(checks), [["deposit 0 swap", "unchecked"], [
          "least deposit within the client's bound",
          "unchecked"
        ]])
        assert.isAbove(checks.length, 70)
        const call = callOf(Schema.decodeUnknownSync(QuoteAnswer)(answer.json()))
        const word = (value: bigint) => toHex(value, { size: 32 }).slice(2)
        const account = (address: string) => address.slice(2).toLowerCase().padStart(64, "0")
        const failing = (from: string, to: string) => {
          const data = answer.text.replaceAll(from, to)
          assert.notStrictEqual(data, answer.text, from)
          return verify(JSON.parse(data)).checks.filter(({ outcome }) => outcome === "failed").map(({ name }) => name)
        }
        assert.include(
          failing(word(call.amount), word(call.amount + 1n)),
          changes.tradeType === undefined ? "deposit 0 amount" : "shown input amount"
        )
        assert.include(failing(word(call.minimum), word(call.minimum - 1n)), "deposit 0 minimum")
        assert.include(
          failing(`${call.orderId.slice(2)}${account(call.router)}`, `${"0d".repeat(32)}${account(call.router)}`),
          "deposit 0 names the order"
        )
        assert.include(failing(account(call.router), account(fresh(66))), "deposit 0 router")
        assert.include(failing(SWAP_DEPOSITOR.toLowerCase(), fresh(66)), "deposit 0 target")
        assert.include(failing(account(SWAP_DEPOSITOR), account(fresh(66))), "approve 0 calldata")
        assert.include(failing(`${call.minimum}`, `${call.minimum - 1n}`), "order id")
        // The solver signs an order for almost nothing, consistently in the order, in the call and in the shown values.
        const bounded = yield* verifierOf(chains, request, { minimumDeposit: call.minimum })
        assert.deepStrictEqual(notOk(bounded(answer.json()).checks), [["deposit 0 swap", "unchecked"]])
        const robbing = notOk(bounded(forNothing(answer.text, call)).checks).map(([name]) => name)
        const shown = changes.tradeType === "EXACT_OUTPUT" ? [] : ["least deposit within the tolerance"]
        assert.deepStrictEqual(robbing, [
          "signature",
          "deposit 0 swap",
          "shown least refund",
          ...shown,
          "least deposit within the client's bound"
        ])
      }
    }))
})
