/**
 * What the oracle is told of the two exchanges besides their endpoints (EXCHANGEA-3): companions with keys of their
 * own.
 */
import { Effect, Schema } from "effect"
import type { Redacted } from "effect"
import type { KeyedService } from "../../../adapters/exchange-a/rpc/ExchangeAClient.ts"
import { readOptional } from "../../configuration/Variables.ts"
import type { Variable } from "../../configuration/Variables.ts"

const url = (name: string, meaning: string): Variable<Redacted.Redacted> => ({
  name,
  meaning,
  schema: Schema.RedactedFromValue(
    Schema.String.check(
      Schema.makeFilter((text) => /^https?:\/\//.test(text) && URL.canParse(text), { title: "an http(s) URL" })
    ),
    { label: "url", disallowEncode: true }
  )
})
const key = (name: string, meaning: string): Variable<Redacted.Redacted> => ({
  name,
  meaning,
  schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "key", disallowEncode: true })
})

export const exchangeVariables = {
  exchangeAHubUrl: url(
    "EXCHANGEA_HUB_API_URL",
    "the transfer service that keeps the nonce mappings of exchange A; needed where a chain of that family is observed"
  ),
  exchangeAHubKey: key("EXCHANGEA_HUB_API_KEY", "sent to it as x-api-key"),
  exchangeAProxyUrl: url(
    "EXCHANGEA_PROXY_API_URL",
    "asked for a transaction of exchange A when the quota of the first endpoint's explorer is used up: POST {type, hash}"
  ),
  exchangeAProxyKey: key("EXCHANGEA_PROXY_API_KEY", "sent to it as X-Nft-Api-Key"),
  exchangeBKey: key("EXCHANGEB_RPC_API_KEY", "sent to the endpoints of exchange B as x-api-key")
} as const

export interface ExchangeCompanions {
  readonly mappings?: KeyedService
  readonly proxy?: KeyedService
  readonly exchangeBKey?: Redacted.Redacted
}

/** What is set of them. */
export const readExchanges = Effect.gen(function*() {
  const v = exchangeVariables
  const hub = yield* readOptional(v.exchangeAHubUrl)
  const hubKey = yield* readOptional(v.exchangeAHubKey)
  const proxy = yield* readOptional(v.exchangeAProxyUrl)
  const proxyKey = yield* readOptional(v.exchangeAProxyKey)
  const exchangeBKey = yield* readOptional(v.exchangeBKey)
  return {
    ...(hub === undefined ? {} : { mappings: { url: hub, key: hubKey } }),
    ...(proxy === undefined ? {} : { proxy: { url: proxy, key: proxyKey } }),
    ...(exchangeBKey === undefined ? {} : { exchangeBKey })
  } satisfies ExchangeCompanions
})
