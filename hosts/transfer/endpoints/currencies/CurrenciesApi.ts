/** The currencies as public UI kits of this kind of API ask for them (ROW-3): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { WireCurrency } from "../../../../src/domain/quote/wire/WireAmount.ts"
import { VmType } from "../chains/ChainsApi.ts"
import { bodyErrors, Defect, idempotencyHeader, readErrors } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

export const CurrencyRow = Schema.Struct({ ...WireCurrency.fields, vmType: VmType }).annotate({
  identifier: "CurrencyOfChain"
})
export type CurrencyRow = typeof CurrencyRow.Type

const Text = Schema.String.check(Schema.isMaxLength(256))
const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

const listed = { description: "how many are listed, 1 to 100; 20 when left out" }

const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate(listed)

export const CurrencySearch = Schema.Struct({
  defaultList: flag("true: only currencies that the solver holds, none that only a swap reaches"),
  chainIds: Schema.optionalKey(
    Schema.Array(Schema.Int).check(Schema.isMaxLength(100)).annotate({
      description: "chains to search; every chain when left out or empty"
    })
  ),
  term: Schema.optionalKey(
    Text.annotate({ description: "part of a symbol or a name, in upper or lower case, or a whole address" })
  ),
  address: Schema.optionalKey(Text.annotate({ description: "address of the currency, in any spelling of its chain" })),
  currencyId: Schema.optionalKey(Text.annotate({ description: "id of the currency as GET /chains has it: usdc" })),
  tokens: Schema.optionalKey(
    Schema.Array(Text).check(Schema.isMaxLength(100)).annotate({
      description: "currencies as chainId:address; every currency when left out or empty"
    })
  ),
  verified: flag("every currency here is a verified one: false gives none"),
  limit: Schema.optionalKey(Limit),
  includeAllChains: flag("with address: also the currencies with the same id on all other chains"),
  depositAddressOnly: flag("true: only currencies that a deposit address takes")
}).annotate({ identifier: "CurrencySearch" })
export type CurrencySearch = typeof CurrencySearch.Type

/** A chain's number in a query. */
export const ChainIdText = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,15}$/u, { expected: "the number of a chain" })
)

const LimitText = Schema.NumberFromString.pipe(Schema.decodeTo(Limit), Schema.annotateEncoded(listed))

export const CurrenciesApi = HttpApiGroup.make("currencies").add(
  HttpApiEndpoint.post("currenciesV2", "/currencies/v2", {
    headers: Schema.Struct(idempotencyHeader),
    payload: CurrencySearch,
    success: Schema.Array(CurrencyRow),
    error: [BadRequest, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "searchCurrencies",
    summary: "Search the currencies that are served",
    description:
      "In the order of the configuration, each chain's native currency first. Nothing is looked up elsewhere."
  })),
  HttpApiEndpoint.get("tokenPrice", "/currencies/token/price", {
    query: {
      address: Text.annotate({ description: "address of the currency" }),
      chainId: ChainIdText.annotate({ description: "its chain" })
    },
    success: Schema.Struct({
      price: Schema.Finite.annotate({
        description: "US dollars for one whole unit, for display: a float, by which no amount is computed"
      })
    }).annotate({ identifier: "TokenPrice" }),
    error: [BadRequest, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getTokenPrice",
    summary: "The price at which quotes count a currency now"
  })),
  HttpApiEndpoint.get("trending", "/currencies/trending", {
    query: {
      chainId: Schema.optionalKey(ChainIdText.annotate({ description: "one chain; every chain when left out" })),
      limit: Schema.optionalKey(LimitText)
    },
    success: Schema.Array(CurrencyRow),
    error: [BadRequest, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getTrendingCurrencies",
    summary: "The currencies that the solver holds",
    description: "This service ranks no currency: they come in the order of the configuration."
  }))
).middleware(InputErrors)
