/**
 * Reads the facts of exchange B that its configuration is checked against: the decimals of its assets, from its own
 * list.
 */
import { Effect, Schema } from "effect"
import type { Redacted } from "effect"
import { exchangeBAddresses } from "../../src/domain/families/exchange-b/ExchangeBAddresses.ts"
import { NO_ANSWER, NO_TOKEN } from "../../src/domain/configuration/Expectation.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import type { ReadFault } from "../quorum/ReadFault.ts"
import { AssetsAnswer } from "./decode/NodeAnswers.ts"
import { makeExchangeBClient } from "./rpc/ExchangeBClient.ts"
import type { ExchangeBClient } from "./rpc/ExchangeBClient.ts"

const decodeAssets = Schema.decodeUnknownEffect(AssetsAnswer)

/** USDC. On the exchange's first route it is the native currency. */
const USDC = "3"

const read: FamilyCheck<ExchangeBClient>["read"] = Effect.fnUntraced(function*(rpc, _chain, asked, deadline) {
  const { asset_details: assets } = yield* Effect.mapError(
    decodeAssets(yield* rpc.assets(deadline)),
    (): ReadFault => "undecodable"
  )
  const decimals = new Map(assets.map(({ asset_id, decimals: digits }) => [asset_id.toString(), digits.toString()]))
  return asked.map((each) => {
    if (each._tag !== "Decimals") return NO_ANSWER
    return decimals.get(each.of === exchangeBAddresses.nativeCurrency ? USDC : each.of) ?? NO_TOKEN
  })
})

/** `key`: the API key of its endpoints, where they require one. */
export const checkWith = (key: Redacted.Redacted | undefined): FamilyCheck<ExchangeBClient> => ({
  open: (url) => makeExchangeBClient(url, key),
  read
})
