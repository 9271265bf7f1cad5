/** A pause stops all routes that touch its scope, and no others. */
import { assert, describe, it } from "@effect/vitest"
import { CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"
import { findPause, haltOf, isChainPaused, pauseId } from "./Pause.ts"
import type { PauseScope, Route, RouteEnd } from "./Pause.ts"

const chains = [1, 2, 3].map((id) => ChainId.make(id))
const currencies = ["a", "b"].map((text) => CurrencyAddress.make(`0x${text.repeat(40)}`))
const ends: ReadonlyArray<Required<RouteEnd>> = chains.flatMap((chainId) =>
  currencies.map((currency) => ({ chainId, currency }))
)
const routes: ReadonlyArray<Route> = ends.flatMap((origin) => ends.map((destination) => ({ origin, destination })))

const stopped = (scope: PauseScope) =>
  routes.filter((route) => findPause([{ id: pauseId(scope), scope, reason: "", createdAt: 0 }], route) !== undefined)

const [one, two] = chains as [ChainId, ChainId]
const [a, b] = currencies as [CurrencyAddress, CurrencyAddress]
const is = (end: RouteEnd, chainId: ChainId, currency?: CurrencyAddress) =>
  end.chainId === chainId && (currency === undefined || end.currency === currency)

describe("a pause", () => {
  const cases: ReadonlyArray<readonly [what: string, scope: PauseScope, stops: (route: Route) => boolean]> = [
    [
      "of a chain stops transfers from it and to it",
      { _tag: "Chain", chainId: one },
      ({ destination, origin }) => is(origin, one) || is(destination, one)
    ],
    ["that is a halt stops its chain likewise", {
      _tag: "Halt",
      chainId: one,
      height: 1n,
      expected: "0xaa",
      found: "0xbb"
    }, ({ destination, origin }) => is(origin, one) || is(destination, one)],
    [
      "of a currency stops it on its own chain only",
      { _tag: "Currency", chainId: one, currency: a },
      ({ destination, origin }) => is(origin, one, a) || is(destination, one, a)
    ],
    [
      "of a route stops one direction",
      { _tag: "Route", origin: { chainId: one }, destination: { chainId: two } },
      ({ destination, origin }) => is(origin, one) && is(destination, two)
    ],
    ["of a route of currencies stops those", {
      _tag: "Route",
      origin: { chainId: one, currency: a },
      destination: { chainId: two, currency: b }
    }, ({ destination, origin }) => is(origin, one, a) && is(destination, two, b)]
  ]
  for (const [what, scope, stops] of cases) {
    it(what, () => assert.deepStrictEqual(stopped(scope), routes.filter(stops)))
  }

  it("has an id of its own for every scope", () => {
    const ids = cases.map(([, scope]) => pauseId(scope))
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(ids, cases.map(([, scope]) => pauseId(structuredClone(scope))))
  })

  it("of a whole chain, or its halt, applies to the chain; only a halt stops work that was begun", () => {
    const pauses = cases.map(([, scope]) => ({ id: pauseId(scope), scope, reason: "", createdAt: 0 }))
    assert.deepStrictEqual(chains.map((chain) => isChainPaused(pauses, chain)), [true, false, false])
    assert.deepStrictEqual(chains.map((chain) => haltOf(pauses, chain)?.scope._tag), ["Halt", undefined, undefined])
    assert.isUndefined(haltOf(pauses.filter(({ scope }) => scope._tag !== "Halt"), one))
  })

  it("that does not exist stops nothing", () => {
    for (const route of routes) assert.isUndefined(findPause([], route))
  })
})
