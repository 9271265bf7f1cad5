/** The variables of exchange B: the key of its endpoints, and those of a transfer service that serves it. */
import { Effect, Redacted, Result, Schema } from "effect"
import { Hex32FromString } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { Problem, read, readOptional, refuseWrong } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"
import type { Allowance } from "./rpc/RequestBudget.ts"
import type { ApiKey } from "./pay/rollup/LocalRollupSigner.ts"

export const endpointKey: Variable<Redacted.Redacted> = {
  name: "EXCHANGEB_RPC_API_KEY",
  meaning: "sent to the endpoints of exchange B as x-api-key",
  schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "key", disallowEncode: true })
}

const solverKey = {
  name: "EXCHANGEB_SOLVER_PRIVATE_KEY",
  meaning:
    "the key of the Ethereum account that owns the solver's account on exchange B, 0x and 64 hex digits, and not SOLVER_PRIVATE_KEY; needed where exchange B is served",
  schema: Schema.RedactedFromValue(
    Hex32FromString.check(Schema.makeFilter((each) => Result.isSuccess(accountOfKey(each)))),
    { label: "exchange-b-solver-key", disallowEncode: true }
  )
}

/** Account indexes are 48 bits on the exchange. */
const MOST_ACCOUNT = 2 ** 48

const solverAccount = {
  name: "EXCHANGEB_SOLVER_ACCOUNT",
  meaning: "the index of the account that pays on exchange B; needed where exchange B is served",
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MOST_ACCOUNT })))
  )
}

const oneKey = /^(\d{1,3}):(?:0x)?([0-9a-fA-F]{80})$/

/** Undefined for anything but pairs of an index up to 254 and a key of 40 bytes, each index once. */
const parseKeys = (text: string): ReadonlyArray<ApiKey> | undefined => {
  const keys = text.split(",").flatMap((each): ReadonlyArray<ApiKey> => {
    const [, index = "", digits = ""] = oneKey.exec(each.trim()) ?? []
    const privateKey = Redacted.make(`0x${digits.toLowerCase()}`, { label: "exchange-b-api-key" })
    return digits === "" || Number(index) > 254 ? [] : [{ index: Number(index), privateKey }]
  })
  const isWhole = keys.length === text.split(",").length && new Set(keys.map(({ index }) => index)).size === keys.length
  return isWhole ? keys : undefined
}

const apiKeys: Variable<Redacted.Redacted> = {
  name: "EXCHANGEB_SOLVER_API_KEYS",
  meaning:
    "the list of that account's API keys, with which nothing else trades: index:key, separated by commas; index up to 254, key of 80 hex digits. Payments wait for each other only within one key, so several are useful; needed where exchange B is served",
  schema: Schema.RedactedFromValue(
    Schema.String.check(Schema.makeFilter((text) => parseKeys(text) !== undefined, { title: "API keys" })),
    { label: "exchange-b-api-keys", disallowEncode: true }
  )
}

const depositoryToken: Variable<Redacted.Redacted> = {
  name: "EXCHANGEB_DEPOSITORY_TOKEN",
  meaning:
    "a token by which the depository's account on exchange B may be read, and nothing else done: ro:account:scope:expiry:random, as its owner makes it; needed where exchange B is served",
  schema: Schema.RedactedFromValue(
    Schema.String.check(Schema.isPattern(/^[!-~]{1,1000}$/)),
    { label: "exchange-b-token", disallowEncode: true }
  )
}

/** Beyond it a client does not accept a quote (EXCHANGEB-5). */
const MOST_FEE = 10_000_000

const transferFee = {
  name: "EXCHANGEB_TRANSFER_FEE",
  meaning:
    `what exchange B takes from users for a transfer, smallest units of USDC, at most ${MOST_FEE}. Unset: what it says about a transfer between depository and user`,
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MOST_FEE })))
  )
}

/** Finding deposits alone takes half of it. */
const LEAST_REQUESTS = 60
/** A weight of as many requests. */
const LEAST_WEIGHT = 24_000

const requests = {
  name: "EXCHANGEB_REQUESTS_PER_MINUTE",
  meaning:
    `how often each endpoint of exchange B may be asked in a minute, at least ${LEAST_REQUESTS}: the exchange lets a standard account, and each address, ask ${LEAST_REQUESTS} times. Unused where EXCHANGEB_WEIGHT_PER_MINUTE is set`,
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: LEAST_REQUESTS, maximum: 100_000_000 })))
  ),
  fallback: "60"
}

const weight = {
  name: "EXCHANGEB_WEIGHT_PER_MINUTE",
  meaning:
    `what each endpoint of exchange B may be asked in a minute, as the exchange weighs the requests of accounts that are not standard, at least ${LEAST_WEIGHT}: the exchange allows 24000 to a premium account, 120000 to a plus account and 240000 to a builder`,
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: LEAST_WEIGHT, maximum: 100_000_000 })))
  )
}

export const transferVariables = [solverKey, solverAccount, apiKeys, depositoryToken, transferFee, requests, weight]

/** Everything that a transfer service needs on exchange B. */
export interface TransferSettings {
  readonly key: Redacted.Redacted<typeof Hex32FromString.Type>
  readonly account: number
  readonly apiKeys: readonly [ApiKey, ...ReadonlyArray<ApiKey>]
  readonly token: Redacted.Redacted
  /** Smallest units of USDC. Undefined: what the exchange says. */
  readonly transferFee: bigint | undefined
  readonly allowance: Allowance
}

const readValues = Effect.gen(function*() {
  const values = yield* Effect.all({
    key: readOptional(solverKey),
    account: readOptional(solverAccount),
    keys: readOptional(apiKeys),
    token: readOptional(depositoryToken),
    fee: readOptional(transferFee),
    requestsPerMinute: read(requests),
    weightPerMinute: readOptional(weight)
  }, { mode: "result" })
  yield* refuseWrong(values)
  return yield* Effect.fromResult(Result.all(values))
})

/**
 * Undefined while no chain of the family is served. `served`: such a chain; then everything that is missing is a
 * problem.
 */
export const readTransfer = Effect.fnUntraced(
  function*(served: string | undefined): Effect.fn.Return<TransferSettings | undefined, Problem> {
    const { account, fee, key, keys, requestsPerMinute, token, weightPerMinute } = yield* readValues
    const [first, ...others] = keys === undefined ? [] : parseKeys(Redacted.value(keys)) ?? []
    if (key !== undefined && account !== undefined && first !== undefined && token !== undefined) {
      return {
        key,
        account,
        apiKeys: [first, ...others],
        token,
        transferFee: fee === undefined ? undefined : BigInt(fee),
        allowance: weightPerMinute === undefined
          ? { _tag: "Requests", perMinute: requestsPerMinute }
          : { _tag: "Weight", perMinute: weightPerMinute }
      }
    }
    if (served === undefined) return undefined
    const missing = [[solverKey, key], [solverAccount, account], [apiKeys, keys], [depositoryToken, token]] as const
    return yield* new Problem({
      message: missing.flatMap(([{ meaning, name }, value]) =>
        value === undefined ? [`${name} is missing: ${served} is served. It is ${meaning}`] : []
      ).join("\n  - ")
    })
  }
)
