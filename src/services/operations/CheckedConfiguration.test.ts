/** When a chain's configuration is believed, how long, and what is told of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { ChainFacts } from "../../../ports/chain/ChainFacts.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Ask } from "../../domain/configuration/Expectation.ts"
import { NO_CODE, NO_TOKEN } from "../../domain/configuration/Expectation.ts"
import { expectationsOf } from "../../domain/configuration/Expectations.ts"
import type { CheckedEntry } from "../../domain/configuration/Standing.ts"
import { alpha, beta } from "../../domain/quote/testing/Chains.ts"
import { CheckedConfiguration, layer, refuseUnserving } from "./CheckedConfiguration.ts"

const entryOf = (chain: CheckedEntry["chain"]): CheckedEntry => ({
  chain,
  role: "chain",
  expectations: expectationsOf(chain, { _tag: "Trade", accounts: {}, feeds: [] })
})
const entries = [entryOf(alpha), entryOf(beta)]
const [, token = alpha.native] = alpha.currencies

type Answer = (ask: Ask) => string | undefined

/** What a chain says that is as it is configured, but for what `other` answers. */
const world = () => {
  const state: { other: Answer; down: boolean; reads: number } = { other: () => undefined, down: false, reads: 0 }
  const facts = Layer.succeed(ChainFacts, {
    read: (chain, asked) =>
      Effect.suspend(() => {
        if (chain.id === alpha.id) state.reads += 1
        if (state.down) {
          return Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "test", kind: "timeout" }))
        }
        const expected = new Map(
          entries.filter((entry) => entry.chain.id === chain.id).flatMap(({ expectations }) => expectations).map((
            { ask, configured }
          ) => [JSON.stringify([ask]), configured])
        )
        return Effect.succeed(asked.map((ask) =>
          (chain.id === alpha.id ? state.other(ask) : undefined) ?? expected.get(JSON.stringify([ask])) ?? ""
        ))
      })
  })
  return { state, service: layer(entries).pipe(Layer.provide(facts)) }
}

const ofAlpha = [{ chainId: alpha.id, currencies: [alpha.native.address] }, {
  chainId: beta.id,
  currencies: [beta.native.address]
}]
const ofToken = [{ chainId: alpha.id, currencies: [token.address] }]
const refusal = (used: typeof ofAlpha | typeof ofToken) =>
  Effect.gen(function*() {
    const checked = yield* CheckedConfiguration
    const served = yield* Effect.result(refuseUnserving(checked, used))
    return Result.isSuccess(served) ? "served" : served.failure.message
  })
const codeless: Answer = (ask) => ask._tag === "Code" && ask.of === alpha.depository ? NO_CODE : undefined

describe("a configuration that is compared with its chain", () => {
  it.effect("is used once the chain has confirmed it, and checked every hour: a contradiction takes it out of service, a correction brings it back", () => {
    const { service, state } = world()
    return Effect.gen(function*() {
      assert.strictEqual(yield* refusal(ofAlpha), "served")
      assert.strictEqual(state.reads, 1)
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(state.reads, 1)
      state.other = codeless
      assert.strictEqual(yield* refusal(ofAlpha), "served")
      yield* TestClock.adjust("1 minute")
      assert.include(
        yield* refusal(ofAlpha),
        `chain ${alpha.slug}: depository (${alpha.depository}): configured code, found no code`
      )
      // Another chain goes on.
      assert.strictEqual(yield* refusal([{ chainId: beta.id, currencies: [beta.native.address] }]), "served")
      state.other = () => undefined
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* refusal(ofAlpha), "served")
    }).pipe(Effect.provide(service))
  })

  it.effect("is not quoted from while it cannot be checked, and the first quote that needs it checks it", () => {
    const { service, state } = world()
    state.down = true
    return Effect.gen(function*() {
      assert.include(yield* refusal(ofAlpha), "could not be reached (comparing the configuration)")
      state.down = false
      assert.strictEqual(yield* refusal(ofAlpha), "served")
    }).pipe(Effect.provide(service))
  })

  it.effect("stays in use for six hours of failed readings, and stays contradicted until it is read again", () => {
    const { service, state } = world()
    return Effect.gen(function*() {
      assert.strictEqual(yield* refusal(ofAlpha), "served")
      state.down = true
      yield* TestClock.adjust("6 hours")
      assert.strictEqual(yield* refusal(ofAlpha), "served")
      yield* TestClock.adjust("1 minute")
      assert.include(yield* refusal(ofAlpha), "could not be reached")
      state.down = false
      state.other = codeless
      yield* TestClock.adjust("1 minute")
      assert.include(yield* refusal(ofAlpha), "found no code")
      state.down = true
      yield* TestClock.adjust("1 day")
      assert.include(yield* refusal(ofAlpha), "found no code")
    }).pipe(Effect.provide(service))
  })

  it.effect("takes only the contradicted currency out of service, and none for its symbol", () => {
    const { service, state } = world()
    state.other = (ask) =>
      ask._tag === "Symbol"
        ? "OTHER"
        : ask._tag === "Decimals" && ask.of === String(token.address)
        ? NO_TOKEN
        : undefined
    return Effect.gen(function*() {
      assert.strictEqual(yield* refusal(ofAlpha), "served")
      assert.include(
        yield* refusal(ofToken),
        `currencies.${token.symbol}.decimals (${token.address}): configured ${token.decimals}, found no token`
      )
    }).pipe(Effect.provide(service))
  })

  it.effect("of a hub stops every transfer when contradicted, and no transfer while it cannot be read", () => {
    const hub: CheckedEntry = {
      chain: { ...alpha, id: beta.id },
      role: "hub",
      expectations: entryOf(alpha).expectations
    }
    let said: "down" | "wrong" = "down"
    const facts = Layer.succeed(ChainFacts, {
      read: (chain, asked) =>
        said === "down"
          ? Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "test", kind: "timeout" }))
          : Effect.succeed(asked.map(() => NO_CODE))
    })
    return Effect.gen(function*() {
      assert.strictEqual(yield* refusal(ofAlpha), "served")
      said = "wrong"
      yield* TestClock.adjust("1 minute")
      assert.include(yield* refusal(ofAlpha), "found no code")
    }).pipe(Effect.provide(layer([hub]).pipe(Layer.provide(facts))))
  })
})
