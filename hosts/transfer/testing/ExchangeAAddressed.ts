/** A client of exchange A's deposit addresses: requests one, and pays there from any wallet. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { writeDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import type { Book } from "../../localnet/nodes/exchange-a/node/Book.ts"
import { postQuote } from "./Client.ts"
import { deposit, ExchangeAQuote } from "./ExchangeAClient.ts"
import type { ExchangeAWallet } from "./ExchangeAClient.ts"

const Addressed = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ id: Schema.String, depositAddress: Schema.String }))
})

/** A quote with a deposit address. `body` is a complete request. Retries while the stock is empty, as the answer says. */
export const exchangeAAddressFor = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, { ...body, useDepositAddress: true }, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    const quoted = Schema.decodeUnknownSync(ExchangeAQuote)(answer.json())
    const [step] = Schema.decodeUnknownSync(Addressed)(answer.json()).steps
    return {
      quoted,
      answer: answer.json(),
      requestId: quoted.steps[0]?.requestId ?? assert.fail("no step"),
      depositAddress: step?.depositAddress ?? assert.fail("no deposit address")
    }
  }
)

let lastNonce = 0

/** A plain payment, as the step asks for it, of that amount of USDC and on that dex. */
export const payAddress = Effect.fnUntraced(
  function*(
    exchangeUrl: string,
    wallet: ExchangeAWallet,
    quoted: ExchangeAQuote,
    { amount, dex }: { readonly amount: bigint; readonly dex: string }
  ) {
    lastNonce = Math.max(lastNonce + 1, Date.now())
    const changes = { amount: writeDecimal(amount, 8), sourceDex: dex, destinationDex: dex, nonce: lastNonce }
    const answer = yield* deposit(exchangeUrl, wallet, quoted, changes)
    assert.include(answer.text, `"ok"`)
  }
)

/** What an address has sent: its sweeps, newest first. */
export const sweptFrom = (book: Book, address: string): ReadonlyArray<string> =>
  book.ofAccount(address).filter(({ error }) => error === null).map(({ hash }) => hash)
