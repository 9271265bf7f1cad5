/** A price is what a quote would say, and nothing else: no signature, no row, no deposit address (QUOTE-8). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { evmAddress } from "../../domain/quote/testing/Chains.ts"
import { bodyOf, makeWorld } from "./testing/World.ts"
import type { Case } from "./testing/World.ts"

const symbols = fc.constantFrom("USDC", "USDT", "ETH", "GEM")
const cases = fc.record<Case>({
  chain: fc.constantFrom("alpha", "beta"),
  from: symbols,
  to: symbols,
  tradeType: fc.constantFrom("EXACT_INPUT", "EXPECTED_OUTPUT", "EXACT_OUTPUT"),
  own: fc.boolean(),
  dollars: fc.bigInt(1n, 20_000n)
})
const granted: ReadonlyArray<object> = [
  {},
  { useFallbacks: true },
  { useExternalLiquidity: true },
  { topupGas: true },
  { useDepositAddress: true, refundTo: evmAddress("33") },
  { appFees: [{ recipient: evmAddress("44"), fee: "30" }] },
  // Its calldata would count towards the day's allowance.
  { txs: [{ to: evmAddress("55"), value: "0", data: `0x${"ab".repeat(4_000)}` }] }
]
const wishes = fc.constantFrom<object>(...granted, { usePermit: true })
const plain: Case = { chain: "beta", from: "USDC", to: "USDC", tradeType: "EXACT_INPUT", own: true, dollars: 100n }

type World = Parameters<typeof makeWorld>[0]

/** Asks two equal worlds, one for a price and one for a quote. */
const both = async (given: Case, more: object, facts: World = {}) => {
  const body = bodyOf(given, more)
  const [priced, quoted] = [makeWorld(facts), makeWorld(facts)]
  const price = await Effect.runPromise(priced.price(body))
  const quote = await Effect.runPromise(quoted.quote(body))
  assert.deepStrictEqual([priced.stored, priced.log, priced.named, priced.signed], [[], [], [], []])
  return { price, quote }
}

describe("a price", () => {
  it("agrees with a quote in every figure and every refusal, and leaves nothing", async () => {
    const shape = fc.tuple(cases, wishes, fc.constantFrom(10n ** 30n, 0n))
    await fc.assert(
      fc.asyncProperty(shape, async ([given, more, held]) => {
        const { price, quote } = await both(given, more, { held })
        const wanted = Result.map(quote, ({ protocol: _, steps: __, ...shown }) => shown)
        assert.deepStrictEqual(price, wanted)
      }),
      { numRuns: inputs(300, 5_000) }
    )
  })

  it("has fees and details, whatever the request asks for", async () => {
    for (const wish of granted) {
      const { price } = await both(plain, wish)
      assert.deepStrictEqual(Object.keys(Result.getOrThrow(price)), ["fees", "details"])
    }
  })

  it("needs no store, and no money in the wallet: only the wallet's own figures are then zero", async () => {
    const found = await both(plain, {}, { store: "down" })
    assert.isTrue(Result.isSuccess(found.price) && Result.isFailure(found.quote))
    const poor = await both(plain, {}, { unfit: { _tag: "UserUnfunded", needed: 2n, payable: 1n } })
    assert.isTrue(Result.isFailure(poor.quote))
    const [{ details, fees }, rich] = [Result.getOrThrow(poor.price), Result.getOrThrow(found.price)]
    assert.deepStrictEqual([fees.gas.amount, details.userBalance], ["0", "0"])
    assert.deepStrictEqual({ ...fees, gas: rich.fees.gas }, rich.fees)
    assert.deepStrictEqual({ ...details, userBalance: rich.details.userBalance }, rich.details)
  })

  it("is refused when no wallet could make the deposit", async () => {
    const { price, quote } = await both(plain, {}, { unfit: { _tag: "Dust", least: 546n } })
    assert.isTrue(Result.isFailure(price))
    assert.deepStrictEqual(price, Result.map(quote, ({ details, fees }) => ({ details, fees })))
  })
})
