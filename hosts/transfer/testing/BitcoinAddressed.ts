/** A client of Bitcoin's deposit addresses: requests one, and pays there from any wallet. */
import { assert } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import type { Bitcoin } from "../../localnet/nodes/bitcoin/Bitcoin.ts"
import { keyOf } from "../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { BitcoinQuote } from "./BitcoinClient.ts"
import { postQuote } from "./Client.ts"

const Addressed = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ id: Schema.String, depositAddress: Schema.String }))
})

/** A quote with a deposit address. `body` is a complete request. Retries while the stock is empty, as the answer says. */
export const bitcoinAddressFor = Effect.fnUntraced(function*(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {}
) {
  const answer = yield* postQuote(url, { ...body, useDepositAddress: true }, headers)
  if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
  const quoted = Schema.decodeUnknownSync(BitcoinQuote)(answer.json())
  const [step] = Schema.decodeUnknownSync(Addressed)(answer.json()).steps
  return {
    quoted,
    answer: answer.json(),
    requestId: quoted.steps[0]?.requestId ?? assert.fail("no step"),
    depositAddress: step?.depositAddress ?? assert.fail("no deposit address")
  }
})

/** An address that nobody has used. */
export const newBitcoinAddress = (): string => keyOf(new Uint8Array(randomBytes(32))).address

/** The script of an address. */
export const scriptOf = (address: string): Uint8Array => Result.getOrThrow(scriptOfAddress(address, "regtest"))

/** A plain payment from the faucet, in no block yet. Returns the transaction's id. */
export const payBitcoin = ({ chain }: Pick<Bitcoin, "chain">, to: string, amount: bigint) =>
  Effect.map(Effect.promise(() => chain.fund(scriptOf(to), amount)), ({ id }) => id)
