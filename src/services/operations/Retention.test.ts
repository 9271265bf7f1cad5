import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { UnpaidQuotes } from "../../../ports/store/operations/UnpaidQuotes.ts"
import { alpha, beta } from "../../domain/quote/testing/Chains.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import type { UnpaidQuote } from "../../domain/transfer/Retention.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import * as Retention from "./Retention.ts"

const DAY_MS = 24 * 3600 * 1000

const quote = (n: number, originChainId: number): UnpaidQuote =>
  ({
    id: RequestId.make(`0x${n.toString(16).padStart(64, "0")}`),
    quotedAt: n,
    order: { inputs: [], output: { deadline: 7 * 24 * 3600 } },
    terms: { originChainId }
  }) as unknown as UnpaidQuote

describe("retention", () => {
  it.effect("deletes, batch by batch, quotes from before the last scan of their chain; a chain that lags or does not answer keeps its quotes", () =>
    Effect.gen(function*() {
      let kept: ReadonlyArray<UnpaidQuote> = Array.from(
        { length: 1_000 },
        (_, n) => quote(n + 1, n % 2 === 0 ? alpha.id : beta.id)
      )
      const ended: Array<number> = []
      let spent = 450
      const days: Array<readonly [before: number, gone: number]> = []
      let answers = false
      let scanned = 5n
      const batches: Array<number> = []
      const refuse = () => Effect.die("not asked for")
      const quotes: UnpaidQuotes["Service"] = {
        list: (before, after, limit) =>
          Effect.sync(() =>
            kept.filter(({ quotedAt }) => quotedAt < before && quotedAt > (after?.quotedAt ?? 0)).slice(0, limit)
          ),
        forget: (ids) =>
          Effect.sync(() => {
            batches.push(ids.length)
            kept = kept.filter(({ id }) => !ids.includes(id))
            return ids.length
          })
      }
      const watcher: DepositWatcher["Service"] = {
        head: (chain) =>
          chain.id === beta.id && !answers
            ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "head", kind: "unreachable" }))
            : Effect.succeed({ height: 10n, hash: "0x10", time: 8 * 24 * 3600 }),
        heads: refuse,
        scan: refuse,
        scanFinal: refuse,
        look: refuse,
        finality: refuse,
        standing: refuse
      }
      const budgets = Layer.mock(Budgets, {
        forgetDays: (before, atMost) =>
          Effect.sync(() => {
            const gone = Math.min(spent, atMost)
            spent -= gone
            days.push([before, gone])
            return gone
          })
      })
      const world = Layer.mergeAll(
        Layer.succeed(Chains, { all: [alpha, beta] }),
        Layer.succeed(UnpaidQuotes, quotes),
        Layer.succeed(FinishedWork, {
          forget: (age) =>
            Effect.sync(() => {
              ended.push(Duration.toHours(age))
              return 0
            })
        }),
        budgets,
        Layer.succeed(UnpaidAddresses, {
          list: () => Effect.succeed([]),
          drop: refuse,
          dropped: refuse,
          sweptBy: refuse,
          sweepsAmong: refuse
        }),
        polledFollowers,
        Layer.mock(Gas, {}),
        Layer.mock(Prices, {}),
        Layer.mock(Sweeps, {}),
        Layer.succeed(AddressBalances, { read: refuse, leftBySweeps: refuse }),
        Layer.mock(Pauses, { all: Effect.succeed([]) }),
        Layer.succeed(DepositWatcher, watcher),
        Layer.mock(Deposits, { cursor: () => Effect.sync(() => ({ height: scanned, hash: "0x" })) }),
        Layer.mock(DirectPayments, { cursor: () => Effect.undefined })
      )
      yield* Effect.scoped(Effect.gen(function*() {
        yield* TestClock.adjust(8 * DAY_MS)
        yield* Layer.build(Retention.layer.pipe(Layer.provide(world)))
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(days, [[-22, 200], [-22, 200], [-22, 50]], "thirty days before the eighth")
        assert.lengthOf(kept, 1_000, "the scan has not come to the head that it was asked about")
        scanned = 10n
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual([...new Set(kept.map(({ terms }) => terms.originChainId))], [beta.id])
        assert.deepStrictEqual(batches, [100, 100, 100, 100, 100])
        answers = true
        yield* TestClock.adjust("1 hour")
        assert.lengthOf(kept, 0)
        assert.deepStrictEqual(ended, [24, 24, 24])
        assert.deepStrictEqual(days.slice(3), [[-22, 0], [-22, 0]])
      }))
    }))
})
