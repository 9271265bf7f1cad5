/** A client of deposit addresses: requests one, pays there like any wallet, and follows the result. */
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type { Hex } from "viem"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { postQuote, QuoteAnswer, sendCall } from "./Client.ts"
import { get } from "./Get.ts"
import type { TestCurrency } from "./Tokens.ts"

const Address = Schema.TemplateLiteral(["0x", Schema.String])

const Addressed = Schema.Struct({ steps: Schema.Array(Schema.Struct({ id: Schema.String, depositAddress: Address })) })

const Requests = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    data: Schema.Struct({
      failReason: Schema.String,
      refunds: Schema.Array(Schema.Struct({
        state: Schema.String,
        amount: Schema.String,
        refunded: Schema.NullOr(Schema.String),
        recipient: Schema.NullOr(Schema.String),
        currency: Schema.String,
        chainId: Schema.Int
      }))
    })
  }))
})

/** A quote with a deposit address. `body` is a complete request. */
export const addressFor = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, { ...body, useDepositAddress: true }, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    const quoted = Schema.decodeUnknownSync(QuoteAnswer)(answer.json())
    const [step] = Schema.decodeUnknownSync(Addressed)(answer.json()).steps
    const requestId = quoted.steps[0]?.requestId
    return step === undefined || requestId === undefined
      ? yield* Effect.die(new Error("the quote has no step"))
      : { quoted, requestId, depositAddress: step.depositAddress, answer: answer.json() }
  }
)

/** A plain transfer without any data of ours. */
export const payTo = (anvil: Anvil, key: Hex, to: Hex, currency: TestCurrency, amount: bigint) =>
  BigInt(currency.address) === 0n
    ? sendCall(anvil, key, { to, value: amount })
    : sendCall(anvil, key, {
      to: currency.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] })
    })

/** Every request of an address, the newest first. */
export const requestsOf = (url: string, address: string) =>
  Effect.map(
    get(`${url}/requests?depositAddress=${address}`),
    ({ json }) => Schema.decodeUnknownSync(Requests)(json()).requests
  )

/** POST …/reindex. Returns status, body and headers undecoded. */
export const reindex = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  get(`${url}/transactions/deposit-address/reindex`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
