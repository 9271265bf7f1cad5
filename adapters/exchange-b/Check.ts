/**
 * Reads the facts of exchange B that its configuration is checked against: the decimals of its assets, from its own
 * list, and how an account keeps its balances (EXCHANGEB-28).
 */
import { Effect, Schema } from "effect"
import type { Redacted } from "effect"
import { exchangeBAddresses } from "../../src/domain/families/exchange-b/ExchangeBAddresses.ts"
import { NO_ANSWER, NO_TOKEN } from "../../src/domain/configuration/Expectation.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import type { ReadFault } from "../quorum/ReadFault.ts"
import { describeMode } from "../../src/domain/families/exchange-b/payment/TradingMode.ts"
import { ModeAnswer } from "./decode/AccountAnswers.ts"
import { AssetsAnswer, NotFound } from "./decode/NodeAnswers.ts"
import { makeExchangeBClient } from "./rpc/ExchangeBClient.ts"
import type { ExchangeBClient } from "./rpc/ExchangeBClient.ts"

const decodeMode = Schema.decodeUnknownEffect(ModeAnswer)
const decodeAssets = Schema.decodeUnknownEffect(AssetsAnswer)

const isNotFound = Schema.is(NotFound)

/** Where the account that pays is configured wrongly. */
const NO_ACCOUNT = "no such account"

/** USDC. On the exchange's first route it is the native currency. */
const USDC = "3"

const readMode = Effect.fnUntraced(
  function*(rpc: ExchangeBClient, account: string, deadline: number): Effect.fn.Return<string, ReadFault> {
    const said = yield* rpc.account(account, deadline)
    if (isNotFound(said)) return NO_ACCOUNT
    const { accounts: [found] } = yield* Effect.mapError(decodeMode(said), (): ReadFault => "undecodable")
    return found?.index.toString() === account ? describeMode(found.account_trading_mode ?? undefined) : NO_ACCOUNT
  }
)

const read: FamilyCheck<ExchangeBClient>["read"] = Effect.fnUntraced(function*(rpc, _chain, asked, deadline) {
  const { asset_details: assets } = yield* Effect.mapError(
    decodeAssets(yield* rpc.assets(deadline)),
    (): ReadFault => "undecodable"
  )
  const decimals = new Map(assets.map(({ asset_id, decimals: digits }) => [asset_id.toString(), digits.toString()]))
  return yield* Effect.forEach(asked, (each) => {
    if (each._tag === "AccountMode") return readMode(rpc, each.of, deadline)
    if (each._tag !== "Decimals") return Effect.succeed(NO_ANSWER)
    return Effect.succeed(decimals.get(each.of === exchangeBAddresses.nativeCurrency ? USDC : each.of) ?? NO_TOKEN)
  })
})

/** `key`: the API key of its endpoints, where they require one. */
export const checkWith = (key: Redacted.Redacted | undefined): FamilyCheck<ExchangeBClient> => ({
  open: (url) => makeExchangeBClient(url, key),
  read
})
