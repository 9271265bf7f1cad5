/** The tokens of exchange A as one endpoint lists them, and which network the list is of. */
import { Effect, Schema } from "effect"
import { PERPS_TOKEN } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { TokensAnswer } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { undecodable } from "./ReadTime.ts"

const decodeTokens = Schema.decodeUnknownEffect(TokensAnswer)

export interface ListedTokens {
  /** By id: 0x and 32 hex digits, lower case. */
  readonly byId: ReadonlyMap<string, { readonly name: string | undefined; readonly weiDecimals: number }>
  /** USDC has another id on the test network. */
  readonly isMainnet: boolean
}

export const readTokens = (rpc: ExchangeAClient, deadline: number): Effect.Effect<ListedTokens, ReadFault> =>
  rpc.info({ type: "spotMeta" }, deadline).pipe(
    Effect.flatMap((said) => undecodable(decodeTokens(said))),
    Effect.map(({ tokens }) => {
      const byId = new Map(
        tokens.map(({ name, tokenId, weiDecimals }) => [tokenId.toLowerCase(), { name, weiDecimals }])
      )
      return { byId, isMainnet: byId.has(PERPS_TOKEN) }
    })
  )
