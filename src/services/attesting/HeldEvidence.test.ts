/**
 * A stranger's claims hold what there is for large ones: usual claims are served all the same, and everything is given
 * back.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { slug } from "../../../property-tests/EvidenceChains.ts"
import { makeWorld } from "../../../property-tests/EvidenceWorld.ts"
import { standInSigner } from "../../../property-tests/EvidenceChains.ts"
import { evidenceBytes } from "../../domain/evidence/EvidenceBytes.ts"
import { makeHeldEvidence } from "./HeldEvidence.ts"

const input = { requested: 100n, paid: 100n, weight: 1n, currency: 0, refundMinimum: 90n, refundTo: 30 }
const { observations } = makeWorld({
  origin: "ethereum-vm",
  destination: "ethereum-vm",
  inputs: [input],
  payments: [{ recipient: 40, currency: 0, minimum: 50n, extra: 0n }],
  calls: 0,
  fees: 0,
  together: false
}, standInSigner(1))
const chain = slug("ethereum-vm")
const one = evidenceBytes(observations)
const times = (count: number) => Array.from({ length: count }, () => observations).flat()

describe("evidence of pending claims", () => {
  it.effect("is held within its byte limit: large claims wait their turn, others never", () =>
    Effect.gen(function*() {
      const evidence = makeHeldEvidence({ usual: one * 2, ofClaim: one * 100, ofAll: one * 15 })
      const end = yield* Deferred.make<void>()
      const holding = (count: number) =>
        evidence.hold((keep) => Effect.andThen(keep(chain, times(count)), Deferred.await(end)))
      const strangers = yield* Effect.forEach([6, 6], (count) => Effect.forkChild(holding(count)))
      yield* Effect.yieldNow
      const refused = yield* Effect.flip(evidence.hold((keep) => keep(chain, times(6))))
      assert.deepStrictEqual([refused._tag, refused.kind], ["ChainUnavailable", "busy"])
      assert.lengthOf(yield* evidence.hold((keep) => keep(chain, observations)), observations.length)
      // Read one after the other, a claim is as large as all that it has read.
      const grown = yield* Effect.flip(evidence.hold((keep) => Effect.forEach(times(6), (each) => keep(chain, [each]))))
      assert.strictEqual(grown.kind, "busy")
      yield* Deferred.succeed(end, undefined)
      yield* Effect.forEach(strangers, Fiber.join)
      assert.lengthOf(yield* evidence.hold((keep) => keep(chain, times(6))), observations.length * 6)
    }))

  it.effect("is released by claims that were refused, failed, or are not waited for", () =>
    Effect.gen(function*() {
      const evidence = makeHeldEvidence({ usual: 0, ofClaim: one * 3, ofAll: one * 4 })
      for (let round = 0; round < 5; round += 1) {
        const large = yield* Effect.flip(evidence.hold((keep) => keep(chain, times(4))))
        assert.strictEqual(large.kind, "too-large")
        yield* Effect.flip(evidence.hold((keep) => Effect.andThen(keep(chain, times(2)), Effect.fail("judged false"))))
        const left = yield* Effect.forkChild(
          evidence.hold((keep) => Effect.andThen(keep(chain, times(2)), Effect.never))
        )
        yield* Effect.yieldNow
        yield* Fiber.interrupt(left)
      }
      assert.lengthOf(yield* evidence.hold((keep) => keep(chain, times(2))), observations.length * 2)
    }))
})
