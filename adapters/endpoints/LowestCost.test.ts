/** One host that names a great cost, or refuses, decides nothing by the quorum (REFUND-18). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { CostsBy } from "../../ports/chain/CostsBy.ts"
import { PaymentRefused } from "../../ports/chain/Treasury.ts"
import { alpha } from "../../src/domain/quote/testing/Chains.ts"
import type { EndpointFamily } from "./AskEndpoint.ts"
import { lowestCost } from "./LowestCost.ts"
import { makeRotation } from "./Rotation.ts"

type Named = bigint | PaymentRefused

const refused = new PaymentRefused({ reason: "reverts" })

/** By three hosts, of which two are a quorum. */
const costBy = Effect.fnUntraced(function*(named: ReadonlyArray<Named>, by: "endpoint" | "quorum") {
  const asked: Array<Named> = []
  const family: EndpointFamily<Named> = {
    open: (url) => Effect.succeed(named[Number(new URL(Redacted.value(url)).hostname.slice(1))] ?? 0n),
    isOn: () => Promise.resolve(true),
    faultOf: () => "refused"
  }
  const urls = named.map((_, at) => Redacted.make(`http://h${at}`))
  const rpc = yield* makeRotation(family, { urls: new Map([[alpha.id, urls]]) })
  const run = (client: Named) => {
    asked.push(client)
    return Promise.resolve(client)
  }
  const cost = yield* lowestCost(rpc, alpha, "cost", run, (each) => each).pipe(
    Effect.provideService(CostsBy, by),
    Effect.catchTag("PaymentRefused", () => Effect.succeed("refused"))
  )
  return { asked: asked.length, cost }
})

describe("the cost of a transaction", () => {
  it.effect("is what one endpoint names", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* costBy([900n, 5n, 6n], "endpoint"), { asked: 1, cost: 900n })
    }))

  it.effect("is the lowest of as many hosts as the quorum needs", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* costBy([900n, 5n, 6n], "quorum"), { asked: 2, cost: 5n })
      assert.deepStrictEqual(yield* costBy([5n, 900n, 6n], "quorum"), { asked: 2, cost: 5n })
    }))

  it.effect("is refused where each of these hosts refuses it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* costBy([refused, 5n, 6n], "quorum"), { asked: 2, cost: 5n })
      assert.deepStrictEqual(yield* costBy([refused, refused, 6n], "quorum"), { asked: 2, cost: "refused" })
    }))
})
