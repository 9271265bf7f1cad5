/** The variables of the explorer that finds withdrawals on Bitcoin (BITCOIN-1). */
import { Effect, Redacted, Result, Schema } from "effect"
import { isPrivate } from "../endpoints/PrivateUrl.ts"
import { Problem, read, readOptional, refuseWrong } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"
import type { ExplorerSettings } from "./observe/explorer/Explorer.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const secret = (label: string) => Schema.RedactedFromValue(Schema.String, { label, disallowEncode: true })

export const explorerUrl = variable({
  name: "BITCOIN_ESPLORA_COMPATIBLE_API_URL",
  meaning:
    "an Esplora-compatible explorer of the Bitcoin chain, to its API's base; without it withdrawals of Bitcoin are refused (`no-explorer`)",
  schema: secret("explorer-url")
})
const clientId = variable({
  name: "BITCOIN_EXPLORER_CLIENT_ID",
  meaning: "OAuth client credentials for that explorer, with the secret",
  schema: secret("explorer-client-id")
})
const clientSecret = variable({
  name: "BITCOIN_EXPLORER_CLIENT_SECRET",
  meaning: "the secret of the client credentials",
  schema: secret("explorer-client-secret")
})
const tokenUrl = variable({
  name: "BITCOIN_EXPLORER_TOKEN_URL",
  meaning: "where the client credentials are exchanged for a token: https, or http on this machine",
  schema: secret("explorer-token-url"),
  fallback: "https://login.blockstream.com/realms/blockstream-public/protocol/openid-connect/token"
})
const indexerKey = variable({
  name: "BITCOIN_INDEXER_API_KEY",
  meaning: "sent to that explorer as the header `api-key`, in place of client credentials",
  schema: secret("indexer-key")
})

export const explorerVariables = [explorerUrl, clientId, clientSecret, tokenUrl, indexerKey]

interface ExplorerValues {
  readonly url: Redacted.Redacted | undefined
  readonly clientId: Redacted.Redacted | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  readonly tokenUrl: Redacted.Redacted
  readonly key: Redacted.Redacted | undefined
}

const fail = (message: string) => Result.fail(new Problem({ message }))

const urlOf = (text: Redacted.Redacted): URL | undefined => {
  const value = Redacted.value(text)
  return /^https?:\/\//.test(value) && URL.canParse(value) ? new URL(value) : undefined
}

/** Undefined without an explorer. SECURITY: credentials and the answers to them go over https only. */
const explorerOf = (
  { clientId, clientSecret, key, tokenUrl, url }: ExplorerValues
): Result.Result<ExplorerSettings | undefined, Problem> => {
  if (url === undefined) return Result.succeed(undefined)
  const at = urlOf(url)
  if (at === undefined) return fail("BITCOIN_ESPLORA_COMPATIBLE_API_URL is not an http(s) URL")
  if ((clientId === undefined) !== (clientSecret === undefined)) {
    return fail(
      "BITCOIN_EXPLORER_CLIENT_ID and BITCOIN_EXPLORER_CLIENT_SECRET belong together: one of them is not set"
    )
  }
  if (key !== undefined && clientId !== undefined) {
    return fail(
      "BITCOIN_INDEXER_API_KEY and BITCOIN_EXPLORER_CLIENT_ID are both set: the explorer takes only one of them"
    )
  }
  if ((key !== undefined || clientId !== undefined) && !isPrivate(at)) {
    return fail("BITCOIN_ESPLORA_COMPATIBLE_API_URL must be https, because a key or a token is sent to it")
  }
  if (key !== undefined) return Result.succeed({ url, access: { _tag: "Key", key } })
  if (clientId === undefined || clientSecret === undefined) return Result.succeed({ url, access: { _tag: "Open" } })
  const exchange = urlOf(tokenUrl)
  return exchange === undefined || !isPrivate(exchange)
    ? fail("BITCOIN_EXPLORER_TOKEN_URL must be an https URL")
    : Result.succeed({ url, access: { _tag: "Credentials", tokenUrl, clientId, clientSecret } })
}

export const readExplorer = Effect.gen(function*() {
  const values = yield* Effect.all({
    url: readOptional(explorerUrl),
    clientId: readOptional(clientId),
    clientSecret: readOptional(clientSecret),
    tokenUrl: read(tokenUrl),
    key: readOptional(indexerKey)
  }, { mode: "result" })
  yield* refuseWrong(values)
  return yield* Effect.fromResult(Result.flatMap(Result.all(values), explorerOf))
})
