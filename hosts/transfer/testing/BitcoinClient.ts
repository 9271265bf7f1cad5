/**
 * A client on Bitcoin as a stranger would write it: fetch for HTTP, and bitcoinjs-lib as the wallet. The transaction is
 * broadcast by the explorer, as public wallet adapters do it.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Transaction } from "bitcoinjs-lib"
import type { Wallet } from "../../../src/domain/families/bitcoin/steps/testing/Wallets.ts"
import { bitcoinChainId } from "../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { BTC } from "./BitcoinNetwork.ts"
import { postQuote } from "./Client.ts"

const Amount = Schema.Struct({ amount: Schema.String })

export const BitcoinQuote = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: Schema.String,
    items: Schema.Array(Schema.Struct({
      data: Schema.Struct({ psbt: Schema.String }),
      check: Schema.Struct({ endpoint: Schema.String, method: Schema.Literal("GET") })
    }))
  })),
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({ currencyIn: Amount, currencyOut: Amount, userBalance: Schema.String })
})
export type BitcoinQuote = typeof BitcoinQuote.Type

/** A request for bitcoin of a wallet, with the public key that its address hides. */
export const fromBitcoin = (
  { address, publicKey }: Pick<Wallet, "address"> & Partial<Pick<Wallet, "publicKey">>,
  recipient: string,
  [destinationChainId, destinationCurrency]: readonly [chainId: number, currency: string],
  amount: bigint,
  changes: object = {}
) => ({
  user: address,
  recipient,
  originChainId: bitcoinChainId,
  destinationChainId,
  originCurrency: BTC,
  destinationCurrency,
  amount: `${amount}`,
  tradeType: "EXACT_INPUT",
  ...(publicKey === undefined ? {} : { additionalData: { userPublicKey: Buffer.from(publicKey).toString("hex") } }),
  ...changes
})

/** A quote of a Bitcoin origin. */
export const quoteBitcoin = Effect.fnUntraced(function*(url: string, body: object) {
  const answer = yield* postQuote(url, body)
  if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
  return yield* Effect.orDie(Schema.decodeUnknownEffect(BitcoinQuote)(answer.json()))
})

/** The signed transaction of a quote's only step. */
export const signedBy = (wallet: Wallet, { steps: [step, ...others] }: BitcoinQuote): Transaction => {
  assert.lengthOf(others, 0)
  const [item, ...more] = step?.items ?? []
  assert.lengthOf(more, 0)
  return wallet.signed(item?.data.psbt ?? assert.fail("no PSBT"))
}

/** Sends a signed transaction. Returns its id; it is in no block yet. */
export const broadcast = (explorerUrl: string, transaction: Transaction) =>
  Effect.promise(async () => {
    const answer = await fetch(`${explorerUrl}/tx`, { method: "POST", body: transaction.toHex() })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`the explorer refused the transaction: ${text}`)
    return transaction.getId()
  })

/** Signs a quote and sends the transaction. */
export const deposited = ({ explorerUrl }: { readonly explorerUrl: string }, wallet: Wallet, quoted: BitcoinQuote) =>
  broadcast(explorerUrl, signedBy(wallet, quoted))
