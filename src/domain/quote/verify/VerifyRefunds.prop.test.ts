/** The bounds of the refund on the destination (REFUND-15): what an honest quote has, a client accepts, and nothing less. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import type { Chain } from "../../chain/Chain.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { bpsCeil, WHOLE_BPS } from "../../money/Bps.ts"
import type { Order, OrderRefund } from "../../order/Order.ts"
import { buildOrder } from "../assemble/BuildOrder.ts"
import { leastOnDestination } from "../assemble/LeastOnDestination.ts"
import { QuoteRequest } from "../request/QuoteRequest.ts"
import { resolveRequest } from "../request/ResolveRequest.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import {
  alpha,
  beta,
  chains,
  currency,
  evmAddress,
  solana,
  solanaPayer,
  solanaUsdc,
  solanaUser
} from "../testing/Chains.ts"
import { now, settlement, solver } from "../testing/SignedQuotes.ts"
import { asCurrency } from "../../families/AddressCodec.ts"
import { verifyOrder } from "./VerifyOrder.ts"
import type { RefundBounds } from "./VerifyRefunds.ts"

const resolved = (changes: object, on: ReadonlyArray<Chain> = chains): ResolvedRequest =>
  Result.getOrThrow(resolveRequest(
    Schema.decodeUnknownSync(QuoteRequest)({
      user: evmAddress("11"),
      refundTo: evmAddress("22"),
      originChainId: 1,
      destinationChainId: 2,
      originCurrency: alpha.currencies[1]!.address,
      destinationCurrency: beta.currencies[1]!.address,
      amount: "1000000",
      tradeType: "EXPECTED_OUTPUT",
      slippageTolerance: "100",
      ...changes
    }),
    on
  ))

const open = resolved({ useDepositAddress: true })
const ways = {
  plain: resolved({}),
  strict: resolved({ useDepositAddress: true, strict: true }),
  open
}

/** Fees and gas of any size, also above the amount; a swap before the deposit may give less than is expected. */
const facts = fc.record({
  way: fc.constantFrom<keyof typeof ways>("plain", "strict", "open"),
  amountIn: fc.bigInt(1n, 10n ** 24n),
  more: fc.bigInt(0n, 10n ** 12n),
  amountOut: fc.bigInt(1n, 10n ** 24n),
  gas: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 25n)),
  fees: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 25n))
})
type Facts = typeof facts extends fc.Arbitrary<infer A> ? A : never

const orderOf = (request: ResolvedRequest, { amountIn, amountOut, fees, gas, more }: Facts): Order =>
  Result.getOrThrow(buildOrder(request, {
    settlement: alpha.slug,
    solver,
    salt: Hex32.make(`0x${"5a".repeat(32)}`),
    now,
    amountIn,
    expectedIn: amountIn + more,
    amountOut,
    minimumOut: bpsCeil(amountOut, WHOLE_BPS - 100n),
    originRefundGas: gas,
    destinationRefundGas: gas,
    fees
  }))

const withSecond = (order: Order, changes: Partial<OrderRefund>): Order => ({
  ...order,
  inputs: order.inputs.map((input) => ({
    ...input,
    refunds: input.refunds.map((refund, index) => index === 1 ? { ...refund, ...changes } : refund)
  }))
})

const minimumOf = ({ inputs: [input] }: Order): bigint => input?.refunds[1]?.minimumAmount ?? assert.fail("no refund")

/** The names of what a client does not accept of an order, for the amount that it quotes. */
const wrong = (order: Order, request: ResolvedRequest, more = 0n, bounds: RefundBounds = {}) => {
  const [input, output] = [order.inputs[0]?.payment, order.output.payments[0]]
  const amount = output?.expectedAmount ?? 0n
  return verifyOrder(
    order,
    { ...request, amount },
    { solver, settlement, now, ...bounds },
    (input?.amount ?? 0n) + more
  ).filter(({ outcome }) => outcome !== "ok").map(({ name, outcome }) => `${name} ${outcome}`)
}

const TOO_LOW = "least refund on the destination failed"

describe("the refund on the destination (REFUND-15)", () => {
  it("of an honest quote is accepted, whatever its fees, gas and swap before the deposit", () => {
    fc.assert(
      fc.property(facts, (made) => {
        const order = orderOf(ways[made.way], made)
        assert.deepStrictEqual(wrong(order, ways[made.way], made.more), [])
        // A refund of what is expected never pays more than the order.
        assert.isTrue(
          minimumOf(order) * (made.amountIn + made.more) <= made.amountOut * made.amountIn || minimumOf(order) === 1n
        )
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("costs a user at most a tenth of the least that the quote pays, at an open address half, rounded: less is refused", () => {
    fc.assert(
      fc.property(facts, fc.bigInt(0n, 10n ** 24n), ({ more: _, ...made }, claimed) => {
        const request = ways[made.way]
        const order = withSecond(orderOf(request, { ...made, more: 0n }), { minimumAmount: claimed + 1n })
        const least = order.output.payments[0]?.minimumAmount ?? 0n
        const isFair = made.way === "open" ? (claimed + 1n) * 2n > least - 2n : (claimed + 1n) * 10n > least * 9n - 10n
        if (wrong(order, request).length === 0) assert.isTrue(isFair)
        else assert.isTrue(!isFair || claimed + 1n > made.amountOut || wrong(order, request).includes(TOO_LOW))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("of one unit is refused, and with it every one below what honest quotes have", () => {
    const made: Facts = {
      way: "plain",
      amountIn: 10n ** 9n,
      more: 0n,
      amountOut: 10n ** 9n,
      gas: 10n ** 10n,
      fees: 10n ** 10n
    }
    for (const [way, request] of Object.entries(ways)) {
      const order = orderOf(request, made)
      const least = minimumOf(order)
      assert.strictEqual(least, way === "open" ? 495_000_000n : 891_000_000n, way)
      for (const minimumAmount of [1n, least / 2n, least - 1n]) {
        assert.deepStrictEqual(
          wrong(withSecond(order, { minimumAmount }), request),
          [TOO_LOW],
          `${way} ${minimumAmount}`
        )
      }
      assert.deepStrictEqual(wrong(withSecond(order, { minimumAmount: 0n }), request), [
        "refund on the destination amount failed",
        TOO_LOW
      ])
      const swappedFirst = orderOf(request, { ...made, more: made.amountIn })
      assert.strictEqual(minimumOf(swappedFirst), least / 2n)
      assert.deepStrictEqual(wrong(swappedFirst, request, made.amountIn), [])
      assert.deepStrictEqual(wrong(swappedFirst, request), [TOO_LOW])
    }
  })

  it("leaves what the spec allows where fees are small: gas, and at an open address the fees of nine further parts", () => {
    const made = { amountIn: 10_000n, amountOut: 9_990n, minimumOut: 9_790n, destinationRefundGas: 7n, fees: 10n }
    assert.strictEqual(leastOnDestination(ways.plain, made), 9_983n)
    assert.strictEqual(leastOnDestination(open, made), 9_790n - 90n - 7n)
  })

  it("is compared with the client's own bounds, and so is that on the origin", () => {
    const made: Facts = { way: "plain", amountIn: 10n ** 9n, more: 0n, amountOut: 10n ** 9n, gas: 5n, fees: 0n }
    const order = orderOf(ways.plain, made)
    const { address } = beta.currencies[1]!
    const bounded = (bounds: RefundBounds) => wrong(order, ways.plain, 0n, bounds)
    const amount = 10n ** 9n - 5n
    assert.deepStrictEqual(
      bounded({ minimumRefund: amount, minimumRefundOnDestination: { currency: address, amount } }),
      []
    )
    assert.deepStrictEqual(bounded({ minimumRefund: amount + 1n }), ["refund within the client's bound failed"])
    for (const asked of [{ currency: address, amount: amount + 1n }, { currency: beta.native.address, amount: 1n }]) {
      assert.deepStrictEqual(bounded({ minimumRefundOnDestination: asked }), [
        "refund on the destination within the client's bound failed"
      ])
    }
  })

  it("in the currency that a fill on Solana swaps is for the client to bound, or not to have", () => {
    const gem = currency(solana.id, "GEM", 9, asCurrency(solanaPayer), false)
    const swapping: Chain = {
      ...solana,
      swaps: {
        wrapped: solana.depository,
        through: [],
        sources: [{ id: "jupiter", router: solana.depository }],
        currencies: [gem]
      }
    }
    const asked = (changes: object = {}) =>
      resolved({
        destinationChainId: solana.id,
        destinationCurrency: gem.address,
        recipient: solanaUser,
        ...changes
      }, [alpha, swapping])
    const built = (request: ResolvedRequest) =>
      Result.getOrThrow(buildOrder({ ...request, destinationCurrency: solanaUsdc }, {
        settlement: alpha.slug,
        solver,
        salt: Hex32.make(`0x${"5a".repeat(32)}`),
        now,
        amountIn: 10n ** 6n,
        amountOut: 999_000n,
        minimumOut: 999_000n,
        delivers: { currency: gem.address, amountOut: 10n ** 12n, minimumOut: bpsCeil(10n ** 12n, 9_900n) },
        originRefundGas: 5n,
        destinationRefundGas: 5n,
        fees: 0n
      }))
    const name = "refund on the destination within the client's bound"
    const request = asked()
    const order = built(request)
    assert.strictEqual(minimumOf(order), 998_995n)
    assert.deepStrictEqual(wrong(order, request), [`${name} unchecked`])
    const bound = { currency: solanaUsdc.address, amount: 990_000n }
    assert.deepStrictEqual(wrong(order, request, 0n, { minimumRefundOnDestination: bound }), [])
    for (const changes of [{ minimumAmount: 1n }, { currency: solana.native.address, minimumAmount: 10n ** 9n }]) {
      assert.deepStrictEqual(
        wrong(withSecond(order, changes), request, 0n, { minimumRefundOnDestination: bound }),
        [`${name} failed`]
      )
    }
    const onOrigin = asked({ refundOnOrigin: true })
    assert.deepStrictEqual(wrong(built(onOrigin), onOrigin), [])
  })
})
