/** The law of a quote with a fallback (useFallbacks): oracles attest the fallback for the expected deposit. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { fallbackUntil } from "../../hub/settling/SettledFallback.ts"
import { buildOrder, REFUND_DEADLINE_SECONDS } from "./BuildOrder.ts"
import { QuoteRequest } from "../request/QuoteRequest.ts"
import { resolveRequest } from "../request/ResolveRequest.ts"
import { alpha, beta, chains, evmAddress } from "../testing/Chains.ts"

const plain = Result.getOrThrow(resolveRequest(
  Schema.decodeUnknownSync(QuoteRequest)({
    user: evmAddress("11"),
    originChainId: 1,
    destinationChainId: 2,
    originCurrency: alpha.native.address,
    destinationCurrency: beta.native.address,
    amount: "1",
    tradeType: "EXACT_INPUT"
  }),
  chains
))
/** The calls stand for the fill's swap, which takes exactly what the order pays. */
const request = { ...plain, calls: [{ to: evmAddress("d2"), data: Hex.make("0x"), value: 0n }] }
const NOW = 1_700_000_000

const facts = fc.record({
  expectedIn: fc.bigInt(10n ** 4n, 10n ** 24n),
  amountOut: fc.bigInt(10n ** 4n, 10n ** 24n),
  tolerance: fc.bigInt(0n, 9_900n),
  gas: fc.bigInt(0n, 10n ** 6n)
})

describe("an order whose fill swaps", () => {
  it("can fall back to its input for the expected deposit, even if the swap before it gives less", () => {
    fc.assert(
      fc.property(facts, ({ amountOut, expectedIn, gas, tolerance }) => {
        const order = Result.getOrThrow(buildOrder(request, {
          settlement: alpha.slug,
          solver: evmAddress("50"),
          salt: Hex32.make(`0x${"11".repeat(32)}`),
          now: NOW,
          amountIn: expectedIn - expectedIn * tolerance / 10_000n,
          expectedIn,
          amountOut,
          minimumOut: amountOut,
          originRefundGas: gas,
          destinationRefundGas: gas,
          fees: 0n
        }))
        assert.strictEqual(
          fallbackUntil(order, { deposited: expectedIn, amountOut, recipient: request.recipient }),
          NOW + REFUND_DEADLINE_SECONDS
        )
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})

const anyFacts = fc.record({
  amountIn: fc.bigInt(0n, 10n ** 20n),
  amountOut: fc.bigInt(0n, 10n ** 20n),
  minimumOut: fc.bigInt(0n, 10n ** 20n),
  originRefundGas: fc.bigInt(0n, 10n ** 21n),
  destinationRefundGas: fc.bigInt(0n, 10n ** 21n),
  fees: fc.bigInt(0n, 10n ** 20n)
})

describe("the refund options of an order", () => {
  it("require at least one unit: with a minimum of zero one unit would be due, and the solver could keep the deposit", () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom("open", "strict", undefined), (amounts, mode) => {
        const asked = mode === undefined
          ? plain
          : { ...plain, depositAddress: { mode, factory: undefined, depositor: plain.user } }
        const order = Result.getOrThrow(
          buildOrder(asked, {
            settlement: alpha.slug,
            solver: evmAddress("50"),
            salt: Hex32.make(`0x${"11".repeat(32)}`),
            now: NOW,
            ...amounts
          })
        )
        const minimums = order.inputs.flatMap(({ refunds }) => refunds.map(({ minimumAmount }) => minimumAmount))
        assert.lengthOf(minimums, 3)
        for (const minimum of minimums) assert.isTrue(minimum >= 1n)
      }),
      { numRuns: inputs(1_000, 20_000) }
    )
  })
})
