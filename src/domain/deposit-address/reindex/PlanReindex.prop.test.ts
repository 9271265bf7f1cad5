/**
 * The same balance is never withdrawn twice (REINDEX-5): reindexes, deposits and sweeps in any order, with nodes that
 * lag.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { ethereumAddresses } from "../../families/ethereum/EthereumAddresses.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { Usd, UsdPrice } from "../../money/Usd.ts"
import { type CurrencyFacts, planReindex, type Sweeps } from "./PlanReindex.ts"

/** At $1 for 1e18 units, and gas of 50e-18 dollars, a hundred units are worth sweeping. */
const factsAt = (units: bigint, height: number, sweeps: Sweeps): CurrencyFacts => ({
  currency: {
    chainId: ChainId.make(1),
    address: ethereumAddresses.nativeCurrency,
    symbol: "ETH",
    name: "Ether",
    decimals: 18,
    isNative: true
  },
  reading: { _tag: "Read", units, height: BigInt(height) },
  sweeps,
  sweepGas: Usd(50n),
  price: UsdPrice(10n ** 36n)
})

describe("any number of reindexes, deposits and sweeps, in any order", () => {
  const action = fc.oneof(
    fc.record({ _tag: fc.constant("deposit" as const), units: fc.bigInt({ min: 1n, max: 200n }) }),
    fc.record({ _tag: fc.constantFrom("reindex" as const, "sweep" as const), units: fc.constant(0n) }),
    // A lagging node answers with its state of some blocks ago.
    fc.record({ _tag: fc.constant("late-reindex" as const), units: fc.bigInt({ min: 1n, max: 4n }) })
  )

  it("never queue one balance twice, never reuse a number, and leave no balance that is worth sweeping", () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const history = [0n]
        let sweeps: Sweeps = { queued: "none", unfinal: "none", completed: 0, lastHeight: undefined }
        let [paid, received] = [0n, 0n]
        const numbers = new Array<number>()
        const reindex = (height: number) => {
          const planned = planReindex([factsAt(history[height] ?? 0n, height, sweeps)])
          if (Result.isFailure(planned)) return
          for (const each of planned.success.queue) {
            assert.strictEqual(sweeps.queued, "none")
            numbers.push(each.number)
            sweeps = { ...sweeps, queued: "one" }
          }
        }
        for (const { _tag, units } of actions) {
          const balance = history.at(-1) ?? 0n
          if (_tag === "reindex") reindex(history.length - 1)
          else if (_tag === "late-reindex") reindex(Math.max(0, history.length - 1 - Number(units)))
          else if (_tag === "deposit") {
            received += units
            history.push(balance + units)
          } else if (sweeps.queued === "one") {
            assert.isTrue(balance > 0n, "a sweep of nothing")
            paid += balance
            history.push(0n)
            sweeps = {
              ...sweeps,
              queued: "none",
              completed: sweeps.completed + 1,
              lastHeight: BigInt(history.length - 1)
            }
          }
        }
        assert.strictEqual(paid + (history.at(-1) ?? 0n), received)
        assert.strictEqual(new Set(numbers).size, numbers.length)
        history.push(history.at(-1) ?? 0n)
        reindex(history.length - 1)
        assert.isTrue(sweeps.queued === "one" || (history.at(-1) ?? 0n) < 100n)
      }),
      { numRuns: inputs(2_000) }
    )
  })
})
