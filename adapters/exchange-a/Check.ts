/**
 * Reads the facts of exchange A that its configuration is checked against: the decimals of its tokens, from its own
 * list, and how accounts keep their balances (EXCHANGEA-36).
 */
import { Effect } from "effect"
import { exchangeAAddresses } from "../../src/domain/families/exchange-a/ExchangeAAddresses.ts"
import { NO_ANSWER, NO_TOKEN } from "../../src/domain/configuration/Expectation.ts"
import { PERPS_DECIMALS } from "../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { describeMode } from "../../src/domain/families/exchange-a/payment/AccountMode.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import { makeExchangeAClient } from "./rpc/ExchangeAClient.ts"
import type { ExchangeAClient } from "./rpc/ExchangeAClient.ts"
import { readTokens } from "./observe/ReadTokens.ts"
import { readModeName } from "./observe/ReadMode.ts"

/** 0x and 32 digits. The rest names a dex, on which the token has the same decimals. */
const tokenIdIn = (currency: string): string => currency.slice(0, 34).toLowerCase()

const read: FamilyCheck<ExchangeAClient>["read"] = Effect.fnUntraced(function*(rpc, _chain, asked, deadline) {
  const { byId } = yield* readTokens(rpc, deadline)
  return yield* Effect.forEach(asked, (each) => {
    if (each._tag === "AccountMode") return Effect.map(readModeName(rpc, each.of, deadline), describeMode)
    if (each._tag !== "Decimals") return Effect.succeed(NO_ANSWER)
    // USDC on perps is in no list. The protocol defines its decimals.
    return Effect.succeed(
      each.of === exchangeAAddresses.nativeCurrency
        ? PERPS_DECIMALS.toString()
        : byId.get(tokenIdIn(each.of))?.weiDecimals.toString() ?? NO_TOKEN
    )
  }, { concurrency: "unbounded" })
})

export const check: FamilyCheck<ExchangeAClient> = { open: (url) => makeExchangeAClient(url, undefined), read }
