/**
 * The variables of exchange A: those of the services beside its endpoints (EXCHANGEA-3), each with its own key, and of a
 * transfer service that serves it.
 */
import { Effect, Result, Schema } from "effect"
import type { Redacted } from "effect"
import { Hex32FromString } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { read, readOptional, refuseWrong } from "../family/Variables.ts"
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

export const solverKey = {
  name: "EXCHANGEA_SOLVER_PRIVATE_KEY",
  meaning:
    "the key that pays on exchange A, 0x and 64 hex digits: a key of the solver's own, with which nothing else signs or trades there, and not SOLVER_PRIVATE_KEY; needed where exchange A is served",
  schema: Schema.RedactedFromValue(
    Hex32FromString.check(Schema.makeFilter((each) => Result.isSuccess(accountOfKey(each)))),
    { label: "exchange-a-solver-key", disallowEncode: true }
  )
}

/** Below it not even one deposit a minute could be confirmed. */
const LEAST_WEIGHT = 200

const weight = {
  name: "EXCHANGEA_WEIGHT_PER_MINUTE",
  meaning:
    `what each endpoint of exchange A may be asked in a minute, as the exchange weighs requests, at least ${LEAST_WEIGHT}: the public hosts allow 1200 to an address, which its other users share`,
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: LEAST_WEIGHT, maximum: 100_000_000 })))
  ),
  fallback: "1200"
}

export const transferVariables = [solverKey, weight]

/** Fails with everything that is wrong. */
export const readTransfer = Effect.gen(function*() {
  const values = yield* Effect.all({ key: readOptional(solverKey), weightPerMinute: read(weight) }, { mode: "result" })
  yield* refuseWrong(values)
  return yield* Effect.fromResult(Result.all(values))
})
