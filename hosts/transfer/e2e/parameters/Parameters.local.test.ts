/**
 * Every parameter of POST /quote has an effect. Compared with docs/parameters.md;
 * `PARAMETERS=write` writes the page instead.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { QuoteRequest } from "../../../../src/domain/quote/request/QuoteRequest.ts"
import { servedParameters } from "../../endpoints/quote/QuoteApi.ts"
import { differing } from "./testing/Observe.ts"
import { isRefusedHere, page } from "./testing/Page.ts"
import type { Compared } from "./testing/Page.ts"
import type { Row } from "./testing/Row.ts"
import type { Ask } from "./testing/Ask.ts"
import { rows } from "./testing/Rows.ts"
import { observe, observeHistory, sponsored, startParameters, usual } from "./testing/Fixture.ts"
import type { Fixture } from "./testing/Fixture.ts"

class Running extends Context.Service<Running, Fixture>()("test/Parameters") {
  static readonly layer = Layer.effect(Running, startParameters)
}

const root = join(import.meta.dirname, "../../../..")
const path = join(root, "docs/parameters.md")

/** The members of one answer that the row compares. */
const look = (fixture: Fixture, { keyed, shown }: Row, asked: Ask) => {
  const headers = keyed === true ? sponsored : {}
  switch (shown._tag) {
    case "Quotes":
    case "Solana":
    case "Bitcoin":
      return Effect.map(observe(fixture, asked, headers), ({ members }) => members)
    case "History":
      return observeHistory(fixture, asked, headers)
    case "Journey":
      return shown.of(fixture, asked, headers)
  }
}

const compare = Effect.fnUntraced(function*(fixture: Fixture, row: Row): Effect.fn.Return<Compared> {
  const without = { ...usual(fixture), ...row.beside?.(fixture) }
  const asked = { ...without, [row.parameter]: row.value(fixture) }
  if (isRefusedHere(row)) {
    const { refused } = yield* observe(fixture, asked, row.keyed === true ? sponsored : {})
    assert.include(refused?.message, row.parameter, `${row.parameter} is refused by name`)
    return { row, differs: [], refusal: `${refused?.errorCode}: ${refused?.message}` }
  }
  const [one, again] = [
    yield* look(fixture, row, without),
    row.shown._tag === "Journey" ? undefined : yield* look(fixture, row, without)
  ]
  const moving = again === undefined ? [] : differing(one, again)
  const other = yield* look(fixture, row, asked)
  // An answer and a refusal have nothing in common: then only the refusal's members are the difference.
  const refusal = [one, other].find((members) => members.has("errorCode"))
  const differs = differing(one, other).filter((member) =>
    !moving.includes(member) && (refusal === undefined || refusal.has(member))
  )
  return { row, differs }
})

/** The row that moves the chain's clock comes last. */
const lastsLonger = (one: Row, other: Row): number =>
  Number(one.parameter === "latePaymentSlippageTolerance") - Number(other.parameter === "latePaymentSlippageTolerance")

layer(Running.layer, { excludeTestServices: true })("the parameters of docs/parameters.md", (it) => {
  it.effect("are complete and in order, each with a suite that names it", () =>
    Effect.sync(() => {
      assert.deepStrictEqual(rows.map(({ parameter }) => parameter), Object.keys(QuoteRequest.fields))
      const served: ReadonlyArray<string> = servedParameters
      for (const { parameter, test } of rows.slice(7)) {
        assert.include(served, parameter)
        assert.include(readFileSync(join(root, test), "utf8"), parameter, test)
      }
    }))

  it.effect("change what the page says, and each changes something", () =>
    Effect.gen(function*() {
      const fixture = yield* Running
      const compared = yield* Effect.forEach(rows.toSorted(lastsLonger), (row) => compare(fixture, row))
      for (const { differs, row } of compared) {
        assert.isTrue(isRefusedHere(row) || differs.length > 0, `${row.parameter} changes nothing`)
      }
      const text = page(rows.flatMap(({ parameter }) => compared.filter(({ row }) => row.parameter === parameter)))
      if (process.env["PARAMETERS"] === "write") return yield* Effect.sync(() => writeFileSync(path, text))
      assert.strictEqual(text, existsSync(path) ? readFileSync(path, "utf8") : "")
    }))
})
