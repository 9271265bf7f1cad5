/**
 * A client on Tron as a stranger would write it: fetch for HTTP, and the unmodified tronweb as the wallet. Calls go the
 * way of a public wallet adapter (CarryOut.ts).
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TronStep } from "../../localnet/commands/demo/TransferApi.ts"
import { carryOutWith } from "../../localnet/nodes/tron/CarryOut.ts"
import { TRON_CHAIN_ID } from "../../localnet/nodes/tron/node/ChainNumber.ts"
import { nodeAddress } from "../../localnet/nodes/tron/node/Account.ts"
import type { TronKey } from "../../localnet/nodes/tron/node/LocalKey.ts"
import { ownerOf } from "../../localnet/nodes/tron/node/Transaction.ts"
import type { Transaction } from "../../localnet/nodes/tron/node/Transaction.ts"
import type { Wallet } from "../../localnet/nodes/tron/node/Wallet.ts"
import { postQuote } from "./Client.ts"

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

/** Whether the account has signed it. */
export const isSentBy = ({ evm }: TronKey, transaction: Transaction): boolean =>
  ownerOf(transaction) === nodeAddress(evm)

/** The order that a payment names: its memo, or the end of its call. */
export const namedBy = ({ raw_data: { contract: [{ parameter: { value } }], data } }: Transaction): `0x${string}` =>
  `0x${"data" in value ? value.data?.slice(-64) ?? "" : data ?? ""}`

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

/** A request for a currency on Tron, for native currency of another chain: by default a twentieth of an ether. */
export const toTron = (
  user: string,
  recipient: string,
  originChainId: number,
  destinationCurrency: string,
  changes: object = {}
) => ({
  user,
  recipient,
  originChainId,
  destinationChainId: TRON_CHAIN_ID,
  originCurrency: "0x0000000000000000000000000000000000000000",
  destinationCurrency,
  amount: "50000000000000000",
  tradeType: "EXACT_INPUT",
  ...changes
})

/** A quote of a Tron origin. */
export const quoteTron = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, body, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    return yield* Effect.orDie(Schema.decodeUnknownEffect(TronQuote)(answer.json()))
  }
)

/** The order that the deposit's call names: it is the call's last word. */
export const orderIn = ({ steps }: TronQuote): `0x${string}` => {
  const data = steps.at(-1)?.items[0]?.data
  return data?.type === "TriggerSmartContract" ? `0x${data.parameter.data.slice(-64)}` : assert.fail("no call")
}

/** Signs and sends all steps of a quote, in order. Returns the last transaction's id; all are in no block yet. */
export const carriedOut = Effect.fnUntraced(function*(wallet: Wallet, { steps }: TronQuote) {
  const ids = yield* Effect.forEach(
    steps.flatMap(({ items }) => items),
    ({ data }) => Effect.promise(() => carryOutWith(wallet, data))
  )
  return ids.at(-1) ?? (yield* Effect.die(new Error("the quote has no steps")))
})
