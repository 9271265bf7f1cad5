/** How often addresses are looked at: two looks at once would quote two requests for one deposit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AddressBalances } from "../../../ports/AddressBalances.ts"
import { ApiKeys } from "../../../ports/ApiKeys.ts"
import { Chains } from "../../../ports/Chains.ts"
import { DepositAddresses } from "../../../ports/DepositAddresses.ts"
import type { KeptAddress } from "../../../ports/DepositAddresses.ts"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import { Gas } from "../../../ports/Gas.ts"
import { Pauses } from "../../../ports/Pauses.ts"
import { Prices } from "../../../ports/Prices.ts"
import { Sweeps } from "../../../ports/Sweeps.ts"
import { TransferHistory } from "../../../ports/TransferHistory.ts"
import { Transfers } from "../../../ports/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import { ChainId } from "../../domain/chain/ChainId.ts"
import { Quoting } from "../Quoting.ts"
import * as WatchingAddresses from "./WatchingAddresses.ts"

const id = ChainId.make(1)
const currency = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const address = Address.make("0x00000000000000000000000000000000000000a1")
const chain = {
  id, slug: "alpha", blockTimeMs: 1_000, depositAddresses: { factory: address },
  currencies: [{ chainId: id, address: currency, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }]
} as unknown as Chain

/** Reads of an address in its first minute, with a block a second, when it was made so many milliseconds ago. */
const looksIn = (seconds: number, made: number) =>
  Effect.gen(function*() {
    let looks = 0
    let height = 0n
    yield* TestClock.setTime(10 * 86_400_000)
    const ports = Layer.mergeAll(
      Layer.succeed(Chains, Chains.of({ all: [chain] })),
      Layer.mock(Pauses, { all: Effect.succeed([]) }),
      Layer.mock(DepositAddresses, {
        recent: (_chain, since) => Effect.succeed(10 * 86_400_000 - made >= since ? [{ chainId: id, address, currency } as KeptAddress] : [])
      }),
      Layer.mock(DepositWatcher, { head: () => Effect.sync(() => ({ height: (height += 1n), hash: `${height}`, time: 1 })) }),
      Layer.mock(AddressBalances, {
        read: () => Effect.sync(() => {
          looks += 1
          return [{ _tag: "Read" as const, units: 0n, height }]
        })
      }),
      Layer.mock(ApiKeys, {}), Layer.mock(Gas, {}), Layer.mock(Prices, {}), Layer.mock(Sweeps, {}),
      Layer.mock(TransferHistory, {}), Layer.mock(Transfers, {}), Layer.mock(Quoting, {})
    )
    yield* Layer.build(WatchingAddresses.layer.pipe(Layer.provide(ports)))
    yield* TestClock.adjust(`${seconds} seconds`)
    return looks
  }).pipe(Effect.scoped)

describe("an address", () => {
  it.effect("is looked at by one pace at a time: with every block in its first hour, every 15 seconds in its first day", () =>
    Effect.gen(function*() {
      // Every look finds another block, five times a second.
      assert.strictEqual(yield* looksIn(1, 60_000), 6)
    }))

  it.effect("is looked at less often later, and not at all after a week", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* looksIn(30, 2 * 3_600_000), 3)
      assert.strictEqual(yield* looksIn(30, 2 * 86_400_000), 1)
      assert.strictEqual(yield* looksIn(30, 8 * 86_400_000), 0)
    }))
})
