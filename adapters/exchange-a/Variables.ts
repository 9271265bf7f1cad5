/** The variables of the services beside the endpoints of exchange A (EXCHANGEA-3). Each service has its own key. */
import { Effect, Result, Schema } from "effect"
import type { Redacted } from "effect"
import { readOptional, refuseWrong } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"
import type { KeyedService } from "./rpc/ExchangeAClient.ts"

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

export const hubUrl = url(
  "EXCHANGEA_HUB_API_URL",
  "the transfer service that keeps the nonce mappings of exchange A; needed where a chain of that family is observed"
)
const hubKey = key("EXCHANGEA_HUB_API_KEY", "sent to it as x-api-key")
const proxyUrl = url(
  "EXCHANGEA_PROXY_API_URL",
  "asked for a transaction of exchange A when the quota of the first endpoint's explorer is used up: POST {type, hash}"
)
const proxyKey = key("EXCHANGEA_PROXY_API_KEY", "sent to it as X-Nft-Api-Key")

export const companionVariables = [hubUrl, hubKey, proxyUrl, proxyKey]

interface Companions {
  readonly mappings: KeyedService | undefined
  readonly proxy: KeyedService | undefined
}

/** Each is undefined when it is not set. */
export const readCompanions = Effect.gen(function*() {
  const values = yield* Effect.all({
    hub: readOptional(hubUrl),
    keyOfHub: readOptional(hubKey),
    proxy: readOptional(proxyUrl),
    keyOfProxy: readOptional(proxyKey)
  }, { mode: "result" })
  yield* refuseWrong(values)
  const { hub, keyOfHub, keyOfProxy, proxy } = yield* Effect.fromResult(Result.all(values))
  return {
    mappings: hub === undefined ? undefined : { url: hub, key: keyOfHub },
    proxy: proxy === undefined ? undefined : { url: proxy, key: keyOfProxy }
  } satisfies Companions
})
