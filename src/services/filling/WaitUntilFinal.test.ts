/**
 * A deposit is final, gone or confirmed by what a chain shows that is not halted, whatever a process remembers of
 * halts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Standing } from "../../../ports/chain/DepositWatcher.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import type { Pause } from "../../domain/pause/Pause.ts"
import { usdFromMicros } from "../../domain/money/Usd.ts"
import { depositOf, transferOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, priced } from "../../domain/quote/testing/Chains.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import { defaultPolicy, Policy } from "../operations/Policy.ts"
import { standingBy } from "../payments/testing/Standing.ts"
import { confirmDeposit } from "./ConfirmDeposit.ts"
import { waitUntilFinal } from "./WaitUntilFinal.ts"

const halt: Pause = {
  id: `halt:${alpha.id}`,
  scope: { _tag: "Halt", chainId: alpha.id, height: 1n, expected: "0x1", found: "0x2" },
  reason: "",
  createdAt: 0
}

const deposit = depositOf()
const final: Standing = { _tag: "Included", block: deposit.block, confirmations: 100, final: true, deposits: [] }

/** A process that remembers no halt, and a store with or without one. */
const makeWorld = (standing: Standing) => {
  const world = { standing, halted: true, refused: 0 }
  const layer = Layer.mergeAll(
    Layer.mock(Pauses, {
      recent: Effect.succeed([]),
      all: Effect.sync(() => world.halted ? [halt] : [])
    }),
    Layer.mock(DepositWatcher, { standing: () => Effect.sync(() => world.standing) }),
    Layer.mock(Payments, { standing: standingBy(() => Effect.undefined) }),
    Layer.mock(Exposures, {
      take: () =>
        Effect.sync(() => {
          if (world.halted) world.refused += 1
          return !world.halted
        })
    }),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "1")) }),
    polledFollowers,
    Layer.succeed(Policy, defaultPolicy)
  )
  return { world, layer }
}

/** Nothing comes of it for a minute while the chain is halted, and the answer comes once it is not. */
const onceResumed = Effect.fnUntraced(
  function*<A, E, R>(
    { layer, world }: ReturnType<typeof makeWorld>,
    program: Effect.Effect<A, E, R | Layer.Success<ReturnType<typeof makeWorld>["layer"]>>
  ) {
    const running = yield* Effect.forkChild(Effect.provide(program, layer))
    yield* TestClock.adjust("1 minute")
    assert.isUndefined(running.pollUnsafe())
    world.halted = false
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(running)
  }
)

describe("a deposit on a halted chain, in a process that does not know of the halt yet", () => {
  it.effect("is neither final nor gone", () =>
    Effect.gen(function*() {
      const wait = waitUntilFinal(alpha, transferOf(), deposit)
      assert.strictEqual(yield* onceResumed(makeWorld(final), wait), "final")
      assert.strictEqual(yield* onceResumed(makeWorld({ _tag: "Gone" }), wait), "gone")
    }))

  it.effect("is not confirmed: as final, as gone, or at its value's depth", () =>
    Effect.gen(function*() {
      const shallow = { ...alpha, confirmations: [{ upToUsd: usdFromMicros(10n ** 12n), blocks: 1 }] }
      const confirm = confirmDeposit(shallow, deposit, deposit.depositor)
      assert.strictEqual((yield* onceResumed(makeWorld(final), confirm))._tag, "Confirmed")
      assert.strictEqual((yield* onceResumed(makeWorld({ _tag: "Gone" }), confirm))._tag, "Gone")
      const deep = makeWorld({ ...final, final: false })
      assert.strictEqual((yield* onceResumed(deep, confirm))._tag, "Confirmed")
      // The store refuses it where it counts exposure.
      assert.isAbove(deep.world.refused, 0)
    }))
})
