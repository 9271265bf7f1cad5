/**
 * A client on exchange A as a stranger would write it: fetch for HTTP, viem as the wallet. It signs under the chain that
 * its wallet is on, posts the mapping to the service, and the transfer to the exchange itself.
 */
import { Effect, Schema } from "effect"
import type { LocalAccount } from "viem"
import { EXCHANGE_A_CHAIN_ID } from "../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { post, postQuote } from "./Client.ts"

/** Any EVM chain: here, Base. */
const WALLET_CHAIN = 8_453
const ZERO = "0x0000000000000000000000000000000000000000"

export type ExchangeAWallet = Pick<LocalAccount, "address" | "signTypedData">

const Amount = Schema.Struct({ amount: Schema.String })
const Types = Schema.Record(Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })))
const Message = Schema.Record(Schema.String, Schema.Unknown)

const Mapping = Schema.Struct({
  sign: Schema.Struct({ domain: Message, types: Types, primaryType: Schema.String, value: Message }),
  post: Schema.Struct({ endpoint: Schema.String, body: Message })
})
const Transfer = Schema.Struct({
  action: Schema.Struct({ type: Schema.String, parameters: Message }),
  eip712Types: Types,
  eip712PrimaryType: Schema.String
})
const isMapping = Schema.is(Mapping)

export const ExchangeAQuote = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: Schema.String,
    items: Schema.Array(Schema.Struct({ data: Schema.Union([Mapping, Transfer]) }))
  })),
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({ currencyIn: Amount, currencyOut: Amount, userBalance: Schema.String })
})
export type ExchangeAQuote = typeof ExchangeAQuote.Type

/** A request for a currency of a wallet. */
export const fromExchangeA = (
  { address }: ExchangeAWallet,
  recipient: string,
  [destinationChainId, destinationCurrency]: readonly [chainId: number, currency: string],
  [originCurrency, amount]: readonly [currency: string, units: bigint],
  changes: object = {}
) => ({
  user: address,
  recipient,
  originChainId: EXCHANGE_A_CHAIN_ID,
  destinationChainId,
  originCurrency,
  destinationCurrency,
  amount: `${amount}`,
  tradeType: "EXACT_INPUT",
  ...changes
})

export const quoteExchangeA = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, body, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    return yield* Effect.orDie(Schema.decodeUnknownEffect(ExchangeAQuote)(answer.json()))
  }
)

/** The order that the first step's mapping names. */
export const orderOf = ({ steps }: ExchangeAQuote): `0x${string}` => {
  const id = steps[0]?.items.map(({ data }) => isMapping(data) ? data.sign.value["id"] : undefined)[0]
  return `0x${typeof id === "string" ? id.slice(2) : ""}`
}

/** Signs the mapping and posts it, with what the client adds to the body. Returns the answer. */
export const authorize = Effect.fnUntraced(
  function*(url: string, wallet: ExchangeAWallet, { steps }: ExchangeAQuote, more: object = {}) {
    const [item] = steps.flatMap(({ items }) => items)
    if (item === undefined || !isMapping(item.data)) return yield* Effect.die(new Error("no mapping to sign"))
    const { post: { body, endpoint }, sign: { primaryType, types, value } } = item.data
    const signature = yield* Effect.promise(() =>
      wallet.signTypedData({
        domain: { name: "RelayNonceMapping", version: "2", verifyingContract: ZERO, chainId: WALLET_CHAIN },
        types,
        primaryType,
        message: value
      })
    )
    return yield* post(`${url}${endpoint}?signature=${signature}`, { ...body, signatureChainId: WALLET_CHAIN, ...more })
  }
)

/** Signs what a step asks for as a transfer, changed, and posts it to the exchange. Returns its answer. */
const submit = Effect.fnUntraced(
  function*(
    exchangeUrl: string,
    wallet: ExchangeAWallet,
    { action: { parameters, type }, eip712PrimaryType, eip712Types }: typeof Transfer.Type,
    changes: object
  ) {
    const action: Readonly<Record<string, unknown>> = {
      ...parameters,
      ...changes,
      type,
      signatureChainId: `0x${WALLET_CHAIN.toString(16)}`
    }
    const signature = yield* Effect.promise(() =>
      wallet.signTypedData({
        domain: { name: "HyperliquidSignTransaction", version: "1", verifyingContract: ZERO, chainId: WALLET_CHAIN },
        types: eip712Types,
        primaryType: eip712PrimaryType,
        message: action
      })
    )
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)]
    return yield* post(`${exchangeUrl}/exchange`, { action, nonce: action["nonce"], signature: { r, s, v } })
  }
)

/** Signs the quote's transfer and posts it to the exchange. Returns its answer. */
export const deposit = Effect.fnUntraced(
  function*(exchangeUrl: string, wallet: ExchangeAWallet, { steps }: ExchangeAQuote, changes: object = {}) {
    const item = steps.flatMap(({ items }) => items).at(-1)
    if (item === undefined || isMapping(item.data)) return yield* Effect.die(new Error("no transfer to sign"))
    return yield* submit(exchangeUrl, wallet, item.data, changes)
  }
)
