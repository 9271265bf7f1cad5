/** A client of Tron's deposit addresses: requests one, and pays there from any wallet. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import { toEvm } from "../../localnet/nodes/tron/node/Account.ts"
import type { Tron } from "../../localnet/nodes/tron/Tron.ts"
import type { Wallet } from "../../localnet/nodes/tron/node/Wallet.ts"
import { postQuote } from "./Client.ts"
import { TronQuote } from "./TronClient.ts"
import { TRX } from "./TronNetwork.ts"

const Addressed = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ id: Schema.String, depositAddress: Schema.String }))
})

/** A quote with a deposit address. `body` is a complete request. Retries while the stock is empty, as the answer says. */
export const tronAddressFor = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, { ...body, useDepositAddress: true }, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    const quoted = Schema.decodeUnknownSync(TronQuote)(answer.json())
    const [step] = Schema.decodeUnknownSync(Addressed)(answer.json()).steps
    return {
      quoted,
      answer: answer.json(),
      requestId: quoted.steps[0]?.requestId ?? assert.fail("no step"),
      depositAddress: step?.depositAddress ?? assert.fail("no deposit address")
    }
  }
)

/** A plain payment of a currency, in no block yet. Returns the transaction's id. */
export const payTron = (wallet: Wallet, to: string, currency: string, amount: bigint) =>
  Effect.promise(() =>
    currency === TRX
      ? wallet.transfer(to, amount)
      : wallet.trigger(
        currency,
        encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [toEvm(to), amount] })
      )
  )

/** The calls that an address has made, which are in blocks: its sweeps, oldest first. */
export const sweepsOf = ({ chain: { ledger } }: Pick<Tron, "chain">, address: string) =>
  [...ledger.from(1, ledger.tip.number)].flatMap(({ executed }) => executed).flatMap(({ result, transaction }) => {
    const { raw_data: { contract: [{ parameter: { value } }] }, txID } = transaction
    return "contract_address" in value && value.owner_address === `41${toEvm(address).slice(2)}`
      ? [{ id: txID, result, order: `0x${(value.data ?? "").slice(-64)}` as const }]
      : []
  })

/**
 * What the recipient got is what was quoted, once. A sweep that is later than 30 seconds after the quote is priced again:
 * then gas may have changed, but no price.
 */
export const assertFilled = (received: bigint, { details }: TronQuote): void => {
  const quoted = BigInt(details.currencyOut.amount)
  const difference = received > quoted ? received - quoted : quoted - received
  assert.isTrue(difference * 50n < quoted, `${received} of ${quoted}`)
}
