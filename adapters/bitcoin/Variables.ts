/**
 * The variables of the explorer that lists coins and finds withdrawals on Bitcoin (BITCOIN-1), and those of a transfer
 * service: the key that pays, and how fees are chosen (BITCOIN-7).
 */
import { Duration, Effect, Redacted, Result, Schema } from "effect"
import { Hex32FromString } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { FeeRate, MOST_FEE_RATE } from "../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { isPrivate } from "../endpoints/PrivateUrl.ts"
import { Problem, read, readOptional, refuseWrong } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"
import type { ExplorerSettings } from "./observe/explorer/Explorer.ts"
import type { RateSettings } from "./rate/Rates.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

const secret = (label: string) => Schema.RedactedFromValue(Schema.String, { label, disallowEncode: true })

export const explorerUrl = variable({
  name: "BITCOIN_ESPLORA_COMPATIBLE_API_URL",
  meaning:
    "an Esplora-compatible explorer of the Bitcoin chain, to its API's base; without it an oracle refuses withdrawals of Bitcoin (`no-explorer`), and a transfer service that serves the chain does not start",
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

export const solverKey = variable({
  name: "BITCOIN_SOLVER_PRIVATE_KEY",
  meaning:
    "the key that pays on Bitcoin, from its P2WPKH address, 0x and 64 hex digits: a key of the solver's own, of which no other service may sign; needed where a Bitcoin chain is served",
  schema: Schema.RedactedFromValue(
    Hex32FromString.check(Schema.makeFilter((key) => Result.isSuccess(accountOfKey(key)))),
    { label: "bitcoin-solver-key", disallowEncode: true }
  )
})

const whole = (least: number, most: number) =>
  Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most })))
  )

const feeCeiling = variable({
  name: "BITCOIN_MAX_FEE_RATE",
  meaning:
    "satoshi a virtual byte, 1 to 2000: while transactions cost more, nothing is quoted from Bitcoin and nothing is paid there",
  schema: whole(1, Number(MOST_FEE_RATE / 1_000n)),
  fallback: "500"
})
const feeBlocks = variable({
  name: "BITCOIN_FEE_BLOCKS",
  meaning: "within how many blocks a transaction should be in one, 1 to 144: its fee is estimated for that",
  schema: whole(1, 144),
  fallback: "3"
})
const feeAgreement = variable({
  name: "BITCOIN_FEE_AGREEMENT",
  meaning:
    "how many times the lower of the node's and the explorer's estimates a fee rate may be, 1 to 100; where they differ by more than its square, there is none",
  schema: whole(1, 100),
  fallback: "4"
})

const feeSeconds = variable({
  name: "BITCOIN_FEE_SECONDS",
  meaning:
    "for how many seconds a fee rate is kept, 0 to 600: for so long quotes and payments ask neither node nor explorer for it",
  schema: whole(0, 600),
  fallback: "10"
})

export const transferVariables = [solverKey, feeCeiling, feeBlocks, feeAgreement, feeSeconds]

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

/** The solver's key is undefined when it is not set. */
export const readTransfer = Effect.gen(function*() {
  const values = yield* Effect.all({
    key: readOptional(solverKey),
    ceiling: read(feeCeiling),
    blocks: read(feeBlocks),
    agreement: read(feeAgreement),
    seconds: read(feeSeconds),
    explorer: readExplorer
  }, { mode: "result" })
  yield* refuseWrong(values)
  const { agreement, blocks, ceiling, explorer, key, seconds } = yield* Effect.fromResult(Result.all(values))
  const rates: RateSettings = {
    ceiling: FeeRate(BigInt(ceiling) * 1_000n),
    targetBlocks: blocks,
    agreeWithin: BigInt(agreement),
    keptFor: Duration.seconds(seconds)
  }
  return { explorer, key, rates }
})
