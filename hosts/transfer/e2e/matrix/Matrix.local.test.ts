/**
 * Every family to every other, over one network with a chain of each: quoted, paid by a public client, filled, attested
 * by an oracle, settled on the hub, and compared to the unit. Within a family its sends, a second chain and swaps, and
 * a refund on every origin. All ways are walked at the same time; each is a test of its own.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema, Semaphore } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ledgerMatrix } from "../../../../examples/ledger-vm/testing/MatrixLedger.ts"
import { allRefused } from "../../../../scripts/docs/by-family/Outcomes.ts"
import { showsPair } from "../../../../scripts/testing/Shows.ts"
import { can } from "../../../../src/domain/families/FamilyRules.ts"
import { families } from "../../../families.ts"
import { quoteExamples } from "../../endpoints/quote/QuoteExamples.ts"
import { postQuote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { assertOnHub, assertWalked } from "../../testing/matrix/Books.ts"
import { lacksOf } from "../../testing/matrix/Lacks.ts"
import { matrixFamilies } from "../../testing/matrix/Families.ts"
import { labelOf, nameOf, waysOf, wayOver } from "../../testing/matrix/Plan.ts"
import type { PlannedWay } from "../../testing/matrix/Plan.ts"
import { startMatrix } from "../../testing/matrix/StartMatrix.ts"
import { walk } from "../../testing/matrix/Way.ts"
import { ETH } from "../../testing/Tokens.ts"

/** The hosts' own, and a seventh from outside of them. */
const all = [...matrixFamilies, ledgerMatrix]
const served = [...families, ...all.flatMap((family) => family.served ?? [])]

const ways = waysOf(all, (name) => served.some(({ rules }) => rules.name === name && can(rules, "sends")))

const lacks = all.flatMap((family) =>
  served.flatMap(({ rules }) => rules.name === family.name ? lacksOf(family, rules) : [])
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
    const network = yield* startFixture(startMatrix(all), { settings: ({ settling }) => settling })
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
        assertWalked(way, yield* walked(way))
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
          const { json, status } = yield* postQuote(url, {
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

  it.effect("each family refuses by name what docs/parameters-by-family.md says", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const { body, family, refused: { code, message }, role } of allRefused) {
        const { json, status, text } = yield* postQuote(url, body)
        const what = `${family} as ${role}: ${JSON.stringify(body)}: ${text}`
        assert.strictEqual(status, 400, what)
        assert.deepInclude(json(), { errorCode: code, message }, what)
      }
    }))

  it.effect("every family of the hosts that is here has an example in the OpenAPI document, both ways", () =>
    Effect.gen(function*() {
      const { families: started } = yield* Running
      const examples = Object.values(quoteExamples).map(({ value }) => value)
      for (const { chain, name } of started.filter((each) => families.some(({ rules }) => rules.name === each.name))) {
        assert.isTrue(examples.some(({ originChainId }) => originChainId === chain.chainId), `from ${name}`)
        assert.isTrue(examples.some(({ destinationChainId }) => destinationChainId === chain.chainId), `to ${name}`)
      }
    }))

  for (const [name, { value }] of Object.entries(quoteExamples)) {
    it.effect(`the OpenAPI document's example ${name} is quoted`, () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const { status, text } = yield* postQuote(url, value)
        assert.strictEqual(status, 200, text)
      }))
  }

  it.effect("the solver has on the hub what was deposited, of each currency, and nothing else", () =>
    Effect.gen(function*() {
      const { chains, families: started, held } = yield* Running
      const deposited = ways.filter(({ ends }) => ends === "fill" || ends === "refund")
      yield* Effect.forEach(deposited, walked, { concurrency: "unbounded" })
      yield* assertOnHub({ held, solver: chains.solver }, deposited.map((way) => wayOver(started, way)))
    }))
})
