/** Which order a sweep of an open address names while the watcher may be behind the sweeps. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import { ChainId } from "../../domain/chain/ChainId.ts"
import { sweepId } from "../../domain/deposit-address/SweepId.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import { Pausing } from "../operations/Pausing.ts"
import { Quoting } from "../quoting/Quoting.ts"
import { orderOfDeposit } from "./OrderOfDeposit.ts"

const chainId = ChainId.make(1)
const currency = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const address = Address.make("0x00000000000000000000000000000000000000a1")
const own = OrderId.make(`0x${"1".repeat(64)}`)
const later = OrderId.make(`0x${"2".repeat(64)}`)
const kept = {
  chainId,
  address,
  mode: "open",
  orderId: own,
  depositor: address,
  currency,
  apiKeyId: undefined
} as KeptAddress

const refused = (code: "CHAIN_DISABLED" | "INSUFFICIENT_LIQUIDITY") =>
  Effect.fail(new QuoteRefused({ code, message: code, field: "amount" }))

interface Market {
  readonly refusePaused: Pausing["Service"]["refusePaused"]
  readonly quoteLater: Quoting["Service"]["quoteLater"]
}

const open: Market = { refusePaused: () => Effect.void, quoteLater: () => Effect.succeed(later) }

/** An address whose sweep number zero stands so, and none of whose deposits has been seen. */
const orderOf = (number: number, state: Sweep["state"], { quoteLater, refusePaused }: Market = open) =>
  orderOfDeposit(kept, { chainId, currency, units: 5n, number, queuedAt: 0 }).pipe(Effect.provide(Layer.mergeAll(
    Layer.mock(Sweeps, {
      find: (id) =>
        Effect.succeed(id === sweepId({ chainId, address, currency, number: 0 }) ? { state } as Sweep : undefined)
    }),
    Layer.mock(TransferHistory, { deposits: () => Effect.succeed([]) }),
    Layer.mock(Transfers, {
      findByOrder: () =>
        Effect.succeed(
          { terms: { depositAddress: { request: { destinationChainId: ChainId.make(2) } } } } as unknown as Transfer
        )
    }),
    Layer.mock(ApiKeys, {}),
    Layer.mock(SponsorHolds, {}),
    Layer.mock(Budgets, {}),
    Layer.mock(Chains, { all: [] }),
    Layer.mock(Pausing, { refusePaused }),
    Layer.mock(Quoting, { quoteLater })
  )))

describe("the order of a deposit at an open address", () => {
  it.effect("is the address's own for the first sweep, and a new one once that is done, whether or not it was seen in the depository", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* orderOf(0, "queued"), own)
      assert.strictEqual(yield* orderOf(1, "done"), later)
    }))

  it.effect("waits as long as its route is paused", () =>
    Effect.gen(function*() {
      let paused = true
      const found = yield* Effect.forkChild(
        orderOf(1, "done", { ...open, refusePaused: () => paused ? refused("CHAIN_DISABLED") : Effect.void })
      )
      yield* TestClock.adjust("2 days")
      assert.isUndefined(found.pollUnsafe())
      paused = false
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(found), later)
    }))

  it.effect("waits ten minutes for inventory, then is the address's own, for a refund", () =>
    Effect.gen(function*() {
      let missing = true
      const quoteLater = () => missing ? refused("INSUFFICIENT_LIQUIDITY") : Effect.succeed(later)
      const lucky = yield* Effect.forkChild(orderOf(1, "done", { ...open, quoteLater }))
      yield* TestClock.adjust("9 minutes")
      assert.isUndefined(lucky.pollUnsafe())
      missing = false
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(lucky), later)
      missing = true
      const unlucky = yield* Effect.forkChild(orderOf(1, "done", { ...open, quoteLater }))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* Fiber.join(unlucky), own)
    }))

  it.effect("is still the address's own when the previous sweep found nothing", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* orderOf(1, "void"), own)
    }))
})
