/**
 * A client on Tron as a stranger would write it: fetch for HTTP, and the unmodified tronweb as the wallet. Calls go the
 * way of a public wallet adapter (CarryOut.ts).
 */
import { Effect, Schema } from "effect"
import { TronStep } from "../../localnet/commands/demo/TransferApi.ts"
import { carryOutWith } from "../../localnet/nodes/tron/CarryOut.ts"
import { TRON_CHAIN_ID } from "../../localnet/nodes/tron/node/ChainNumber.ts"
import type { Wallet } from "../../localnet/nodes/tron/node/Wallet.ts"
import { post } from "./Client.ts"

const Amount = Schema.Struct({ amount: Schema.String })

export const TronQuote = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: Schema.String,
    items: Schema.Array(Schema.Struct({ data: TronStep }))
  })),
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({ currencyIn: Amount, currencyOut: Amount, userBalance: Schema.String })
})
export type TronQuote = typeof TronQuote.Type

/** A request for a currency of a wallet. */
export const fromTron = (
  { key: { address } }: Pick<Wallet, "key">,
  recipient: string,
  [destinationChainId, destinationCurrency]: readonly [chainId: number, currency: string],
  [originCurrency, amount]: readonly [currency: string, units: bigint],
  changes: object = {}
) => ({
  user: address,
  recipient,
  originChainId: TRON_CHAIN_ID,
  destinationChainId,
  originCurrency,
  destinationCurrency,
  amount: `${amount}`,
  tradeType: "EXACT_INPUT",
  ...changes
})

/** A quote of a Tron origin. */
export const quoteTron = Effect.fnUntraced(function*(url: string, body: object) {
  const answer = yield* post(`${url}/quote`, body)
  if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
  return yield* Effect.orDie(Schema.decodeUnknownEffect(TronQuote)(answer.json()))
})

/** Signs and sends all steps of a quote, in order. Returns the last transaction's id; all are in no block yet. */
export const carriedOut = Effect.fnUntraced(function*(wallet: Wallet, { steps }: TronQuote) {
  const ids = yield* Effect.forEach(
    steps.flatMap(({ items }) => items),
    ({ data }) => Effect.promise(() => carryOutWith(wallet, data))
  )
  return ids.at(-1) ?? (yield* Effect.die(new Error("the quote has no steps")))
})
