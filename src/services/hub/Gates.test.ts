import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SettlingHub } from "../../../ports/hub/SettlingHub.ts"
import { alpha, beta, evmAddress } from "../../domain/quote/testing/Chains.ts"
import { payingChains } from "../quoting/market/PayingChains.ts"
import { gates } from "./Gates.ts"
import { gate, hub, ports } from "./testing/Stubs.ts"

const kept = evmAddress("6b")
const retired = { chain: { ...beta, gate: kept }, gate: kept }

/** alpha is served; beta is not. */
const under = <A>(
  settling: Partial<SettlingHub["Service"]>,
  run: Effect.Effect<A, never, Effect.Services<typeof gates>>
) => Effect.provide(run, ports({ settling }))

const found = (settling: Partial<SettlingHub["Service"]>, chainId: typeof alpha.id, to: typeof gate | undefined) =>
  under(
    settling,
    Effect.map(gates, (gateOf) => {
      const at = gateOf({ chainId, gate: to })
      return at === undefined ? undefined : [at.chain.slug, at.gate]
    })
  )

describe("the gate of a submission", () => {
  it.effect("is the one that was stored with it, on any chain of the configuration", () =>
    Effect.gen(function*() {
      const off = { hub: undefined, followed: [] }
      assert.deepStrictEqual(yield* found({}, alpha.id, kept), ["alpha", kept])
      assert.deepStrictEqual(yield* found({}, alpha.id, undefined), ["alpha", gate])
      assert.deepStrictEqual(yield* found({ followed: [retired] }, beta.id, undefined), ["beta", kept])
      assert.deepStrictEqual(yield* found({ hub: undefined, followed: [retired] }, beta.id, kept), ["beta", kept])
      // Settling is off and the hub's file is gone, and its chain is served.
      assert.deepStrictEqual(yield* found(off, alpha.id, kept), ["alpha", kept])
      assert.isUndefined(yield* found(off, alpha.id, undefined))
      assert.isUndefined(yield* found({}, beta.id, kept))
    }))

  it.effect("is where the account's transactions are tracked, too", () =>
    Effect.gen(function*() {
      const slugs = (settling: Partial<SettlingHub["Service"]>) =>
        Effect.map(under(settling, payingChains), (all) => all.map(({ gate: its = "none", slug }) => `${slug} ${its}`))
      assert.deepStrictEqual(yield* slugs({ hub: undefined, followed: [retired] }), ["alpha none", `beta ${kept}`])
      const gated = { ...hub, chain: { ...alpha, gate } }
      assert.deepStrictEqual(yield* slugs({ hub: gated, followed: [retired, { ...gated, gate: kept }] }), [
        `alpha ${gate}`,
        `beta ${kept}`
      ])
    }))
})
