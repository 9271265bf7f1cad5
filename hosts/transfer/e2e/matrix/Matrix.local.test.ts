/**
 * Every family to every other, over one network with a chain of each: quoted, paid by a public client, filled, attested
 * by an oracle, settled on the hub, and compared to the unit. Within a family its sends, a second chain and swaps, and
 * a refund on every origin. All ways are walked at the same time; each is a test of its own.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Result, Schema, Semaphore } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { showsPair } from "../../../../scripts/testing/Shows.ts"
import { can } from "../../../../src/domain/families/FamilyRules.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { families } from "../../../families.ts"
import { post } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { lacksOf } from "../../testing/matrix/Lacks.ts"
import { matrixFamilies } from "../../testing/matrix/Families.ts"
import { labelOf, nameOf, waysOf, wayOver } from "../../testing/matrix/Plan.ts"
import type { PlannedWay } from "../../testing/matrix/Plan.ts"
import { startMatrix } from "../../testing/matrix/StartMatrix.ts"
import { solverOnHub, walk } from "../../testing/matrix/Way.ts"
import { ETH } from "../../testing/Tokens.ts"

const ways = waysOf(matrixFamilies, (name) => families.some(({ rules }) => rules.name === name && can(rules, "sends")))

const lacks = matrixFamilies.flatMap((family) =>
  families.flatMap(({ rules }) => rules.name === family.name ? lacksOf(family, rules) : [])
    .map((lack) => ({ ...lack, name: family.name }))
)

const configured = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ chainId: Schema.Int, vmType: Schema.String })))
)(readFileSync(join(import.meta.dirname, "../../../../configs/chains.local.json"), "utf8"))

/** Chains of families that only the oracle serves. */
const unserved = configured.filter(({ vmType }) =>
  families.some(({ rules, transfer }) => rules.name === vmType && transfer === undefined)
)

/** Quotes that wait for their payment. */
const AT_ONCE = 6

/** The network, and every way on its way. */
class Running extends fixtureOf<Running>()(
  "test/Matrix",
  Effect.gen(function*() {
    const network = yield* startFixture(startMatrix(matrixFamilies), { settings: ({ settling }) => settling })
    const host = {
      url: network.url,
      hub: network.hub,
      solver: network.chains.solver,
      paying: yield* Semaphore.make(AT_ONCE)
    }
    const walking = yield* Effect.forEach(ways, (way) =>
      Effect.map(
        Effect.forkScoped(walk(host, wayOver(network.families, way))),
        (fiber) => [nameOf(way), Fiber.join(fiber)] as const
      ))
    return { ...network, walked: new Map(walking) }
  })
) {}

const walked = (way: PlannedWay) =>
  Effect.flatMap(Running, (running) => running.walked.get(nameOf(way)) ?? Effect.die(new Error("nobody walks it")))

layer(Running.layer, { excludeTestServices: true })("every family to every other", (it) => {
  for (const way of ways) {
    it.effect(nameOf(way), () =>
      Effect.gen(function*() {
        const { arrived, given, quoted, refunded, settled, status } = yield* walked(way)
        assert.strictEqual(status, way.ends === "refund" ? "refund" : "success")
        assert.strictEqual(quoted.in, way.amount)
        if (way.ends === "swap") return assert.isTrue(arrived >= quoted.least && quoted.least > 0n, `${arrived}`)
        if (way.ends === "refund") assert.deepStrictEqual(refunded, [`${arrived}`])
        else assert.strictEqual(arrived, quoted.out)
        if (way.ends === "send") return assert.strictEqual(arrived, way.amount)
        assert.deepStrictEqual(settled, ["settled"])
        // Of the currency that was deposited, in the transaction that settled it.
        assert.include(given, way.amount)
      }), showsPair({ from: way.from, to: way.to, says: { moved: labelOf(way) } }))
  }

  for (const { check, name, reason } of lacks) {
    it.effect(`${name} → ${name}: ${reason}`, () =>
      Effect.gen(function*() {
        const { families: started, url } = yield* Running
        yield* check(url, started.find((each) => each.name === name) ?? assert.fail("not started"))
      }), showsPair({ from: name, to: name, says: { lacks: reason } }))
  }

  for (const { chainId, vmType } of unserved) {
    it.effect(`${vmType}, which only the oracle serves, is neither an origin nor a destination`, () =>
      Effect.gen(function*() {
        const { chains: { alpha }, url, user } = yield* Running
        for (const [originChainId, destinationChainId] of [[alpha.chainId, chainId], [chainId, alpha.chainId]]) {
          const { json, status } = yield* post(`${url}/quote`, {
            user: user(0),
            originChainId,
            destinationChainId,
            originCurrency: ETH.address,
            destinationCurrency: ETH.address,
            amount: "1",
            tradeType: "EXACT_INPUT"
          })
          assert.strictEqual(status, 400)
          assert.deepInclude(json(), { errorCode: "UNSUPPORTED_CHAIN" })
        }
      }))
  }

  it.effect("the solver has on the hub what was deposited, of each currency, and nothing else", () =>
    Effect.gen(function*() {
      const { chains, families: started, held } = yield* Running
      const deposited = ways.filter(({ ends }) => ends === "fill" || ends === "refund")
      yield* Effect.forEach(deposited, walked, { concurrency: "unbounded" })
      for (
        const [token, of] of Map.groupBy(deposited, (way) => {
          const { from: { ref }, paid } = wayOver(started, way)
          return Result.getOrThrow(hubTokenId(ref, paid.address))
        })
      ) {
        const units = yield* held(solverOnHub(chains.solver), token)
        assert.strictEqual(units, of.reduce((sum, { amount }) => sum + amount, 0n), of.map(nameOf).join("; "))
      }
    }))
})
