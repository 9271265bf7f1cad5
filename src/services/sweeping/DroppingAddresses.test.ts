/** An unpaid address is dropped after a last reading, of all of it, that counts; whatever is short of that keeps it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AddressBalances } from "../../../ports/AddressBalances.ts"
import { Chains } from "../../../ports/Chains.ts"
import { ChainUnavailable } from "../../../ports/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import { Deposits } from "../../../ports/Deposits.ts"
import { Pauses } from "../../../ports/Pauses.ts"
import { Sends } from "../../../ports/Sends.ts"
import { UnpaidAddresses } from "../../../ports/UnpaidAddresses.ts"
import type { UnpaidAddress } from "../../../ports/UnpaidAddresses.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Reading } from "../../domain/deposit-address/PlanReindex.ts"
import { alpha, beta } from "../../domain/quote/testing/Chains.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import { makeDropAddresses } from "./DroppingAddresses.ts"

const DAY_MS = 24 * 3_600_000
const FINAL = 90n

const chains = [alpha, beta].map((chain): Chain => ({ ...chain, depositAddresses: chain.depositAddresses ?? {} } as Chain))

/** Quoted so many milliseconds after zero, on alpha. */
const unpaidOf = (n: number, quotedAt = n, deadline = 0): UnpaidAddress =>
  ({
    id: RequestId.make(`0x${n.toString(16).padStart(64, "0")}`),
    quotedAt,
    order: { inputs: [], output: { deadline } },
    terms: { originChainId: alpha.id, depositAddress: {} },
    kept: { address: `0x${n.toString(16).padStart(40, "0")}`, chainId: alpha.id }
  }) as unknown as UnpaidAddress

interface World {
  readonly addresses: ReadonlyArray<UnpaidAddress>
  readonly read?: (chain: Chain, address: string) => ReadonlyArray<Reading> | undefined
  readonly final?: (chain: Chain) => bigint | undefined
  readonly halted?: ReadonlyArray<unknown>
  readonly scanned?: number
}

const nothing: Reading = { _tag: "Read", units: 0n, height: FINAL }
const something: Reading = { _tag: "Read", units: 1n, height: FINAL }
const allOf = (chain: Chain, reading: Reading) => chain.currencies.map(() => reading)

const walk = Effect.fnUntraced(function*({ addresses, final = () => FINAL, halted = [], read = (chain) => allOf(chain, nothing), scanned = 20 * 24 * 3600 }: World) {
  let kept = addresses
  const pages: Array<number> = []
  const down = (chain: Chain) => new ChainUnavailable({ chain: chain.slug, operation: "test", kind: "unreachable" })
  yield* TestClock.setTime(20 * DAY_MS)
  const dropAddresses = makeDropAddresses()
  const run = dropAddresses.pipe(Effect.provide(Layer.mergeAll(
    Layer.succeed(Chains, { all: chains }),
    Layer.mock(Pauses, { all: Effect.succeed(halted as never) }),
    Layer.mock(Sends, { cursor: () => Effect.undefined }),
    Layer.mock(Deposits, { cursor: () => Effect.succeed({ height: 100n, hash: "0x" }) }),
    Layer.mock(DepositWatcher, {
      head: () => Effect.succeed({ height: 100n, hash: "0x", time: scanned }),
      finality: (chain) => {
        const height = final(chain)
        return height === undefined ? Effect.fail(down(chain)) : Effect.succeed({ found: undefined, newest: { height, hash: "0x" } })
      }
    }),
    Layer.mock(AddressBalances, {
      read: (chain, address) => {
        const readings = read(chain, address)
        return readings === undefined ? Effect.fail(down(chain)) : Effect.succeed(readings)
      }
    }),
    Layer.mock(UnpaidAddresses, {
      list: (before, after, limit) => Effect.sync(() => {
        const page = kept.filter(({ id, quotedAt }) => quotedAt < before && (after === undefined || id > after.id)).slice(0, limit)
        pages.push(page.length)
        return page
      }),
      drop: ({ id }) => Effect.sync(() => {
        kept = kept.filter((each) => each.id !== id)
        return true
      })
    })
  )))
  const walking = yield* Effect.forkChild(run)
  while (walking.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
  return { left: kept.map(({ id }) => Number(id)), pages }
})

describe("unpaid deposit addresses", () => {
  it.effect("are dropped in bounded batches, once they are old enough", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 170 }, (_, index) => unpaidOf(index + 1))
      const { left, pages } = yield* walk({ addresses: [...many, unpaidOf(500, 7 * DAY_MS), unpaidOf(501, 1, 25 * 24 * 3600)] })
      assert.deepStrictEqual(left, [500, 501], "one is of last week, one may still be paid for")
      assert.isTrue(pages.every((length) => length <= 50))
    }))

  const one = [unpaidOf(1), unpaidOf(2)]
  const second = unpaidOf(2).kept.address
  const cases: ReadonlyArray<readonly [string, Omit<World, "addresses">, ReadonlyArray<number>]> = [
    ["with nothing anywhere go", {}, []],
    ["with something on another chain of the family stay", { read: (chain, address) => allOf(chain, chain.slug === beta.slug && address === second ? something : nothing) }, [2]],
    ["of which one currency was not read stay", { read: (chain, address) => allOf(chain, nothing).map((each, index) => address === second && index === 0 ? { _tag: "Unread" } : each) }, [2]],
    ["go where a currency is none that addresses take", { read: (chain) => allOf(chain, nothing).map((each, index) => index === 0 ? { _tag: "Unread", untaken: true } : each) }, []],
    ["of which nothing at all could be read stay", { read: (chain) => allOf(chain, { _tag: "Unread", untaken: true }) }, [1, 2]],
    ["that could not be read on a chain stay", { read: (chain, address) => chain.slug === beta.slug && address === second ? undefined : allOf(chain, nothing) }, [2]],
    ["that were read in a block older than the final one stay", { read: (chain) => allOf(chain, { _tag: "Read", units: 0n, height: FINAL - 1n }) }, [1, 2]],
    ["stay while a chain does not say what is final", { final: (chain) => chain.slug === beta.slug ? undefined : FINAL }, [1, 2]],
    ["stay while their origin was not scanned so far", { scanned: 10 * 24 * 3600 }, [1, 2]]
  ]
  for (const [what, world, left] of cases) {
    it.effect(what, () => Effect.map(walk({ addresses: one, ...world }), (after) => assert.deepStrictEqual(after.left, left)))
  }
})
