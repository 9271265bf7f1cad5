/** A sequence counts as reached only when enough endpoints have reached it, whatever one of them says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import type { EndpointFamily } from "../AskEndpoint.ts"
import { confirmedSequence } from "./ConfirmedSequence.ts"
import { makeRotation } from "../Rotation.ts"

type Voice = bigint | "silent"

/** What the solver takes for the next sequence, when its endpoints name these. */
const confirmed = (...said: ReadonlyArray<Voice>) => {
  const family: EndpointFamily<Voice> = {
    open: (url) =>
      Effect.succeed(said[Number(new URL(Redacted.value(url)).hostname.slice(5).split(".")[0])] ?? "silent"),
    isOn: () => Promise.resolve(true),
    faultOf: () => "refused"
  }
  const urls = said.map((_, index) => Redacted.make(`http://node-${index}.example`))
  return Effect.scoped(Effect.gen(function*() {
    const rpc = yield* makeRotation(family, { urls: new Map([[alpha.id, urls]]) })
    const reading = confirmedSequence(
      rpc,
      alpha,
      (voice) => voice === "silent" ? Promise.reject(new Error("silent")) : Promise.resolve(voice)
    )
    return yield* Effect.match(reading, { onSuccess: (sequence) => sequence, onFailure: () => "unavailable" })
  }))
}

describe("the sequence of an account", () => {
  it.effect("is what the endpoints agree on", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* confirmed(5n, 5n, 5n), 5n)
      assert.strictEqual(yield* confirmed(5n), 5n)
    }))

  it.effect("is none that only one of three names, wherever it is listed", () =>
    Effect.gen(function*() {
      for (const said of [[9n, 5n, 5n], [5n, 9n, 5n], [5n, 5n, 9n]] as const) {
        assert.strictEqual(yield* confirmed(...said), 5n)
      }
    }))

  it.effect("is at most what enough have reached, when one of them is silent or behind", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* confirmed("silent", 5n, 6n), 5n)
      assert.strictEqual(yield* confirmed(6n, "silent", "silent"), "unavailable")
    }))

  it.effect("is the preferred endpoint's word where either of two decides alone", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* confirmed(6n, 5n), 6n)
      assert.strictEqual(yield* confirmed("silent", 5n), 5n)
    }))
})
