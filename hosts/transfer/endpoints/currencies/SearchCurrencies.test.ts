import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { chains } from "../../../../src/services/quoting/testing/Market.ts"
import type { CurrencySearch } from "./CurrenciesApi.ts"
import { listed, searchCurrencies } from "./SearchCurrencies.ts"

const [alpha, beta] = chains
const symbols = (asked: CurrencySearch) => searchCurrencies(chains, asked).map(({ symbol }) => symbol)
const whole = searchCurrencies(chains, { limit: 100 })

const usdc = whole.find(({ chainId, symbol }) => chainId === alpha.id && symbol === "USDC")
const address = usdc?.address ?? assert.fail("no USDC")

const searches = fc.record<CurrencySearch>({
  defaultList: fc.boolean(),
  chainIds: fc.subarray([alpha.id, beta.id, 1]),
  term: fc.constantFrom("", "u", "USD", "eth", "nothing", address),
  address: fc.constantFrom(address, address.toUpperCase().replace("0X", "0x"), "x"),
  currencyId: fc.constantFrom("usdc", "USDC", "eth", "gem"),
  tokens: fc.subarray([`${alpha.id}:${address}`, `${beta.id}:${address}`, "nonsense"]),
  limit: fc.integer({ min: 1, max: 100 }),
  includeAllChains: fc.boolean(),
  depositAddressOnly: fc.boolean()
}, { requiredKeys: [] })

describe("a search of currencies", () => {
  it("lists what is served, in the order of the configuration, and no more than was asked for", () => {
    assert.lengthOf(whole, listed(chains).length)
    fc.assert(
      fc.property(searches, (asked) => {
        const found = searchCurrencies(chains, asked)
        assert.isAtMost(found.length, asked.limit ?? 20)
        const places = found.map((row) => whole.findIndex((each) => JSON.stringify(each) === JSON.stringify(row)))
        assert.notInclude(places, -1)
        assert.deepStrictEqual(places, places.toSorted((one, other) => one - other))
      }),
      { numRuns: inputs(500, 5_000) }
    )
  })

  it("narrows with each further part, except to the currency's other chains", () => {
    fc.assert(
      fc.property(searches, ({ includeAllChains: _, limit: __, ...asked }) => {
        const found = JSON.stringify(searchCurrencies(chains, { ...asked, limit: 100 }))
        for (const name of Object.keys(asked)) {
          const { [name as keyof CurrencySearch]: ___, ...less } = { ...asked, limit: 100 } as CurrencySearch
          const wider = searchCurrencies(chains, less).map((row) => JSON.stringify(row))
          for (const row of JSON.parse(found) as ReadonlyArray<unknown>) assert.include(wider, JSON.stringify(row))
        }
      }),
      { numRuns: inputs(200, 2_000) }
    )
  })

  it("finds by symbol, name, address in any spelling, id and chainId:address", () => {
    assert.deepStrictEqual(symbols({ term: "usdc", chainIds: [alpha.id] }), ["USDC"])
    assert.deepStrictEqual(symbols({ address: address.toUpperCase().replace("0X", "0x"), chainIds: [alpha.id] }), [
      "USDC"
    ])
    assert.deepStrictEqual(symbols({ tokens: [`${alpha.id}:${address}`] }), ["USDC"])
    assert.deepStrictEqual(symbols({ currencyId: "eth", chainIds: [beta.id] }), ["ETH"])
    assert.deepStrictEqual(symbols({ address, chainIds: [alpha.id], includeAllChains: true }), ["USDC", "USDC"])
    assert.deepStrictEqual(symbols({ verified: false }), [])
  })

  it("tells currencies that only a swap reaches from those that the solver holds", () => {
    assert.include(symbols({}), "GEM")
    assert.notInclude(symbols({ defaultList: true }), "GEM")
    assert.notInclude(symbols({ depositAddressOnly: true }), "GEM")
  })
})
