/** What a deposit costs, read from a node that fails. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicClient, custom } from "viem"
import type { DepositIntent } from "../../../ports/chain/StepBuilder.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { alpha, evmAddress } from "../../../src/domain/quote/testing/Chains.ts"
import { readOriginCosts } from "./OriginCosts.ts"

const failing = createPublicClient({
  transport: custom({ request: () => Promise.reject(new Error("over its limit")) }, { retryCount: 0 })
})

describe("the costs of a deposit", () => {
  it.live("fail once where every call of the node fails: a second failure that nobody waits for would end the process", () =>
    Effect.gen(function*() {
      const unheard: Array<unknown> = []
      const hear = (cause: unknown) => void unheard.push(cause)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("unhandledRejection", hear)),
        () => Effect.sync(() => process.off("unhandledRejection", hear))
      )
      for (const currency of alpha.currencies) {
        const intent: DepositIntent = {
          origin: alpha,
          currency,
          amount: 5n,
          user: Address.make(evmAddress("11")),
          way: { _tag: "Depository" }
        }
        yield* Effect.flip(Effect.tryPromise(() => readOriginCosts(failing, intent)))
      }
      yield* Effect.sleep(10)
      assert.deepStrictEqual(unheard, [])
    }).pipe(Effect.scoped))
})
