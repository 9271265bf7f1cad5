/** An unpaid address is dropped after a last reading, of all of it, that counts; whatever is short of that keeps it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Prices, PriceUnavailable } from "../../../ports/market/Prices.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import type { UnpaidAddress } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { computeDepositAddress } from "../../domain/deposit-address/DepositAddress.ts"
import type { Reading } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import { alpha, beta } from "../../domain/quote/testing/Chains.ts"
import { UsdPrice } from "../../domain/money/Usd.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { makeDropAddresses } from "./DroppingAddresses.ts"

const DAY_MS = 24 * 3_600_000
const FINAL = 90n
/** A dollar. */
const SWEEP_GAS = 10n ** 18n

const account = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const word = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as const
const [present, former, depositor] = [account(0xf1), account(0xf0), account(0xd1)]
const chains = [alpha, beta].map((chain): Chain => ({
  ...chain,
  depositAddresses: { factory: present, former: [former] }
}))
const madeBy = (factory: Address, n: number) =>
  Result.getOrThrow(computeDepositAddress({ factory, depositor, orderId: OrderId.make(word(n)) }))

/** Quoted so many milliseconds after zero, on alpha. */
const unpaidOf = (n: number, quotedAt = n, deadline = 0, factory = present): UnpaidAddress =>
  ({
    id: RequestId.make(word(n)),
    quotedAt,
    order: { inputs: [], output: { deadline } },
    terms: { originChainId: alpha.id, depositAddress: {} },
    kept: { address: madeBy(factory, n), chainId: alpha.id, depositor, orderId: word(n) }
  }) as unknown as UnpaidAddress

interface World {
  readonly addresses: ReadonlyArray<UnpaidAddress>
  readonly read?: (chain: Chain, address: string) => ReadonlyArray<Reading> | undefined
  readonly final?: (chain: Chain) => bigint | undefined
  readonly halted?: ReadonlyArray<unknown>
  readonly scanned?: number
  /** Whether there are prices: of a dollar for 10^18 units, by which a sweep costs one. */
  readonly priced?: boolean
}

const nothing: Reading = { _tag: "Read", units: 0n, height: FINAL }
const some = (units: bigint): Reading => ({ _tag: "Read", units, height: FINAL })
const something = some(10n ** 19n)
const allOf = (chain: Chain, reading: Reading) => chain.currencies.map(() => reading)

const walk = Effect.fnUntraced(
  function*({
    addresses,
    final = () => FINAL,
    halted = [],
    priced = true,
    read = (chain) => allOf(chain, nothing),
    scanned = 20 * 24 * 3600
  }: World) {
    let kept = addresses
    const pages: Array<number> = []
    const down = (chain: Chain) => new ChainUnavailable({ chain: chain.slug, operation: "test", kind: "unreachable" })
    yield* TestClock.setTime(20 * DAY_MS)
    const dropAddresses = makeDropAddresses()
    const run = dropAddresses.pipe(Effect.provide(Layer.mergeAll(
      Layer.succeed(Chains, { all: chains }),
      Layer.mock(Pauses, { all: Effect.succeed(halted as never) }),
      Layer.mock(DirectPayments, {
        cursor: () => Effect.undefined
      }),
      Layer.mock(Deposits, { cursor: () => Effect.succeed({ height: 100n, hash: "0x" }) }),
      Layer.mock(DepositWatcher, {
        head: () => Effect.succeed({ height: 100n, hash: "0x", time: scanned }),
        finality: (chain) => {
          const height = final(chain)
          return height === undefined
            ? Effect.fail(down(chain))
            : Effect.succeed({ found: undefined, newest: { height, hash: "0x" } })
        }
      }),
      polledFollowers,
      Layer.mock(AddressBalances, {
        read: (chain, address) => {
          const readings = read(chain, address)
          return readings === undefined ? Effect.fail(down(chain)) : Effect.succeed(readings)
        }
      }),
      Layer.mock(Gas, { ofPayment: () => Effect.succeed(SWEEP_GAS), ofSweep: () => Effect.succeed(SWEEP_GAS) }),
      Layer.mock(Prices, {
        priceOf: (currency) =>
          priced
            ? Effect.succeed({ currency: { ...currency, decimals: 18 }, price: UsdPrice(10n ** 36n) })
            : Effect.fail(new PriceUnavailable({ symbol: currency.symbol }))
      }),
      Layer.mock(Sweeps, { of: () => Effect.succeed([]) }),
      Layer.mock(UnpaidAddresses, {
        list: (before, after, limit) =>
          Effect.sync(() => {
            const page = kept.filter(({ id, quotedAt }) => quotedAt < before && (after === undefined || id > after.id))
              .slice(0, limit)
            pages.push(page.length)
            return page
          }),
        drop: ({ id }) =>
          Effect.sync(() => {
            kept = kept.filter((each) => each.id !== id)
            return true
          })
      })
    )))
    const walking = yield* Effect.forkChild(run)
    while (walking.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
    return { left: kept.map(({ id }) => Number(id)), pages }
  }
)

describe("unpaid deposit addresses", () => {
  it.effect("are dropped in bounded batches, once they are old enough", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 170 }, (_, index) => unpaidOf(index + 1))
      const { left, pages } = yield* walk({
        addresses: [...many, unpaidOf(500, 7 * DAY_MS), unpaidOf(501, 1, 25 * 24 * 3600)]
      })
      assert.deepStrictEqual(left, [500, 501], "one is of last week, one may still be paid for")
      assert.isTrue(pages.every((length) => length <= 50))
    }))

  it.effect("of former factories stay", () =>
    Effect.map(
      walk({ addresses: [unpaidOf(1), unpaidOf(2, 2, 0, former)] }),
      ({ left }) => assert.deepStrictEqual(left, [2])
    ))

  const one = [unpaidOf(1), unpaidOf(2)]
  const second = unpaidOf(2).kept.address
  const cases: ReadonlyArray<readonly [string, Omit<World, "addresses">, ReadonlyArray<number>]> = [
    ["with nothing anywhere go", {}, []],
    ["with something on another chain of the family stay", {
      read: (chain, address) => allOf(chain, chain.slug === beta.slug && address === second ? something : nothing)
    }, [2]],
    ["with dust go", { read: (chain) => allOf(chain, some(1n)) }, []],
    ["with dust that has no price stay", { priced: false, read: (chain) => allOf(chain, some(1n)) }, [1, 2]],
    ["with a dollar stay, though a sweep costs as much", {
      read: (chain) => chain.currencies.map(({ isNative }) => isNative ? some(10n ** 18n) : nothing)
    }, [1, 2]],
    ["of which one currency was not read stay", {
      read: (chain, address) =>
        allOf(chain, nothing).map((each, index) => address === second && index === 0 ? { _tag: "Unread" } : each)
    }, [2]],
    ["go where a currency is none that addresses take", {
      read: (chain) =>
        allOf(chain, nothing).map((each, index) => index === 0 ? { _tag: "Unread", untaken: true } : each)
    }, []],
    [
      "of which nothing at all could be read stay",
      { read: (chain) => allOf(chain, { _tag: "Unread", untaken: true }) },
      [1, 2]
    ],
    ["that could not be read on a chain stay", {
      read: (chain, address) => chain.slug === beta.slug && address === second ? undefined : allOf(chain, nothing)
    }, [2]],
    ["that were read in a block older than the final one stay", {
      read: (chain) => allOf(chain, { _tag: "Read", units: 0n, height: FINAL - 1n })
    }, [1, 2]],
    ["stay while a chain does not say what is final", {
      final: (chain) => chain.slug === beta.slug ? undefined : FINAL
    }, [1, 2]],
    ["stay while their origin was not scanned so far", { scanned: 10 * 24 * 3600 }, [1, 2]]
  ]
  for (const [what, world, left] of cases) {
    it.effect(
      what,
      () => Effect.map(walk({ addresses: one, ...world }), (after) => assert.deepStrictEqual(after.left, left))
    )
  }
})
