/**
 * The variables about the explorer that withdrawals of Bitcoin are looked for with (BITCOIN-1), and what they say
 * together.
 */
import { Redacted, Result, Schema } from "effect"
import type { ExplorerSettings } from "../../../adapters/bitcoin/observe/explorer/Explorer.ts"
import { Problem } from "../../configuration/Variables.ts"
import type { Variable } from "../../configuration/Variables.ts"
import { isPrivate } from "../../configuration/PrivateUrl.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const secret = (label: string) => Schema.RedactedFromValue(Schema.String, { label, disallowEncode: true })

export const explorerVariables = {
  explorerUrl: variable({
    name: "BITCOIN_ESPLORA_COMPATIBLE_API_URL",
    meaning:
      "an Esplora-compatible explorer of the Bitcoin chain, to its API's base; without it withdrawals of Bitcoin are refused (`no-explorer`)",
    schema: secret("explorer-url")
  }),
  explorerClientId: variable({
    name: "BITCOIN_EXPLORER_CLIENT_ID",
    meaning: "OAuth client credentials for that explorer, with the secret",
    schema: secret("explorer-client-id")
  }),
  explorerClientSecret: variable({
    name: "BITCOIN_EXPLORER_CLIENT_SECRET",
    meaning: "the secret of the client credentials",
    schema: secret("explorer-client-secret")
  }),
  explorerTokenUrl: variable({
    name: "BITCOIN_EXPLORER_TOKEN_URL",
    meaning: "where the client credentials are exchanged for a token: https, or http on this machine",
    schema: secret("explorer-token-url"),
    fallback: "https://login.blockstream.com/realms/blockstream-public/protocol/openid-connect/token"
  }),
  indexerKey: variable({
    name: "BITCOIN_INDEXER_API_KEY",
    meaning: "sent to that explorer as the header `api-key`, in place of client credentials",
    schema: secret("indexer-key")
  })
} as const

type Read<A> = Result.Result<A, Problem>

interface ExplorerValues {
  readonly explorerUrl: Read<Redacted.Redacted | undefined>
  readonly explorerClientId: Read<Redacted.Redacted | undefined>
  readonly explorerClientSecret: Read<Redacted.Redacted | undefined>
  readonly explorerTokenUrl: Read<Redacted.Redacted>
  readonly indexerKey: Read<Redacted.Redacted | undefined>
}

const fail = (message: string) => Result.fail(new Problem({ message }))

const urlOf = (text: Redacted.Redacted): URL | undefined => {
  const value = Redacted.value(text)
  return /^https?:\/\//.test(value) && URL.canParse(value) ? new URL(value) : undefined
}

/** Undefined without an explorer. SECURITY: credentials, and whatever is said in answer to them, go over https only. */
export const explorerOf = (values: ExplorerValues): Result.Result<ExplorerSettings | undefined, Problem> =>
  Result.gen(function*() {
    const [url, clientId, clientSecret, tokenUrl, key] = [
      yield* values.explorerUrl,
      yield* values.explorerClientId,
      yield* values.explorerClientSecret,
      yield* values.explorerTokenUrl,
      yield* values.indexerKey
    ]
    if (url === undefined) return undefined
    const at = urlOf(url)
    if (at === undefined) return yield* fail("BITCOIN_ESPLORA_COMPATIBLE_API_URL is no http(s) URL")
    if ((clientId === undefined) !== (clientSecret === undefined)) {
      return yield* fail(
        "BITCOIN_EXPLORER_CLIENT_ID and BITCOIN_EXPLORER_CLIENT_SECRET belong together: one of them is not set"
      )
    }
    if (key !== undefined && clientId !== undefined) {
      return yield* fail(
        "BITCOIN_INDEXER_API_KEY and BITCOIN_EXPLORER_CLIENT_ID are both set: which of them is the explorer to be shown?"
      )
    }
    if ((key !== undefined || clientId !== undefined) && !isPrivate(at)) {
      return yield* fail("BITCOIN_ESPLORA_COMPATIBLE_API_URL must be https, since it is sent a key or a token")
    }
    if (key !== undefined) return { url, access: { _tag: "Key", key } }
    if (clientId === undefined || clientSecret === undefined) return { url, access: { _tag: "Open" } }
    const exchange = urlOf(tokenUrl)
    if (exchange === undefined || !isPrivate(exchange)) {
      return yield* fail("BITCOIN_EXPLORER_TOKEN_URL must be an https URL")
    }
    return { url, access: { _tag: "Credentials", tokenUrl, clientId, clientSecret } }
  })
