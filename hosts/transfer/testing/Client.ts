/**
 * A client of the API as a stranger would write it: fetch for HTTP, viem for the chain, without our code. Answers have
 * their own schemas, so that the server's types cannot hide a wrong wire shape.
 */
import { Effect, Schema } from "effect"
import { createPublicClient, createWalletClient, defineChain, http, TransactionReceiptNotFoundError } from "viem"
import type { Hex, TransactionReceipt } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { fetchOnce } from "./Get.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

export const QuoteAnswer = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: HexText,
    items: Schema.Array(Schema.Struct({
      status: Schema.String,
      data: Schema.Struct({
        from: HexText,
        to: HexText,
        data: HexText,
        value: Schema.String,
        chainId: Schema.Int,
        gas: Schema.String,
        maxFeePerGas: Schema.String,
        maxPriorityFeePerGas: Schema.String
      }),
      check: Schema.optionalKey(Schema.Struct({ endpoint: Schema.String, method: Schema.Literal("GET") }))
    }))
  })),
  fees: Schema.Record(Schema.String, Schema.Struct({ amount: Schema.String, amountUsd: Schema.String })),
  details: Schema.Struct({
    currencyIn: Schema.Struct({ amount: Schema.String }),
    currencyOut: Schema.Struct({ amount: Schema.String, minimumAmount: Schema.String }),
    refundCurrency: Schema.Struct({ amount: Schema.String, minimumAmount: Schema.String }),
    currencyGasTopup: Schema.Struct({ amount: Schema.String }),
    fallbackType: Schema.optionalKey(Schema.String),
    route: Schema.Struct({ destination: Schema.Struct({ inputCurrency: Schema.Struct({ amount: Schema.String }) }) })
  })
})
export type QuoteAnswer = typeof QuoteAnswer.Type

export const StatusAnswer = Schema.Struct({
  status: Schema.String,
  details: Schema.String,
  failReason: Schema.String,
  inTxHashes: Schema.Array(HexText),
  txHashes: Schema.Array(HexText),
  refunds: Schema.Array(Schema.Struct({
    kind: Schema.optionalKey(Schema.String),
    state: Schema.String,
    reason: Schema.String,
    amount: Schema.String,
    refunded: Schema.NullOr(Schema.String)
  })),
  fallback: Schema.optionalKey(Schema.Struct({
    state: Schema.String,
    reason: Schema.String,
    chainId: Schema.Int,
    currency: HexText,
    amount: Schema.String,
    recipient: HexText,
    txHash: HexText
  }))
})
export type StatusAnswer = typeof StatusAnswer.Type

/** A POST with a JSON body: status and decoded body. */
export const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const response = await fetchOnce(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
    const text = await response.text()
    return { status: response.status, text, json: (): unknown => JSON.parse(text) }
  })

/** A request for a native transfer between the two chains, with a test's changes. */
export const nativeRequest = (user: string, from: Anvil, to: Anvil, amount: bigint, changes: object = {}) => ({
  user,
  originChainId: from.chainId,
  destinationChainId: to.chainId,
  originCurrency: NATIVE,
  destinationCurrency: NATIVE,
  amount: amount.toString(),
  tradeType: "EXACT_INPUT",
  ...changes
})

/**
 * The answer of `/quote`. Asks again while it is 503, as a client does: a chain, a price or a swap server is late, or the
 * stock of addresses is empty. The test's timeout limits it. Not for tests of that answer.
 */
export const postQuote = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  post(`${url}/quote`, body, headers).pipe(
    Effect.tap(({ status }) => status === 503 ? Effect.sleep(200) : Effect.void),
    Effect.repeat({ until: ({ status }) => status !== 503 })
  )

export const quote = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, body, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    return yield* Effect.orDie(Schema.decodeUnknownEffect(QuoteAnswer)(answer.json()))
  }
)

export const chainOf = (anvil: Anvil) =>
  defineChain({
    id: anvil.chainId,
    name: `chain ${anvil.chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } }
  })

export const reader = (anvil: Anvil) =>
  createPublicClient({ chain: chainOf(anvil), transport: http(), pollingInterval: 20, cacheTime: 0 })

/**
 * The receipt of a transaction, once it is mined. viem's own waiting asks only when a block is announced: of a chain that
 * was told to mine no further block it would wait for ever for a receipt that came just after the announcement.
 */
const receiptOf = async (anvil: Anvil, hash: Hex): Promise<TransactionReceipt> => {
  const client = reader(anvil)
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (cause) {
      if (!(cause instanceof TransactionReceiptNotFoundError)) throw cause
    }
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

type ItemData = QuoteAnswer["steps"][number]["items"][number]["data"]

/** Sends one item, with a value of the test's choice, and waits until it is mined. */
const sendItem = (anvil: Anvil, key: Hex, data: ItemData, value?: bigint) =>
  Effect.promise(async () => {
    const wallet = createWalletClient({ account: privateKeyToAccount(key), chain: chainOf(anvil), transport: http() })
    const hash = await wallet.sendTransaction({
      to: data.to,
      data: data.data,
      value: value ?? BigInt(data.value),
      gas: BigInt(data.gas),
      maxFeePerGas: BigInt(data.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(data.maxPriorityFeePerGas)
    })
    return receiptOf(anvil, hash)
  })

/** Sends the item that moves the money, the only one of the last step, with a value of the test's choice. */
export const sendDeposit = (anvil: Anvil, key: Hex, { steps }: QuoteAnswer, value?: bigint) => {
  const data = steps.at(-1)?.items[0]?.data
  return data === undefined ? Effect.die(new Error("the quote has no deposit step")) : sendItem(anvil, key, data, value)
}

/** Executes a quote like any client of this kind of API: every item of every step, in order. */
export const execute = (anvil: Anvil, key: Hex, { steps }: QuoteAnswer) =>
  Effect.forEach(steps.flatMap(({ items }) => items), ({ data }) => sendItem(anvil, key, data))

/** Sends any call of an account and waits until it is mined. */
export const sendCall = (
  anvil: Anvil,
  key: Hex,
  call: {
    readonly to: Hex
    readonly data?: Hex
    readonly value?: bigint
    readonly gas?: bigint
    readonly maxFeePerGas?: bigint
    readonly maxPriorityFeePerGas?: bigint
  }
) =>
  Effect.promise(async () => {
    const wallet = createWalletClient({ account: privateKeyToAccount(key), chain: chainOf(anvil), transport: http() })
    const hash = await wallet.sendTransaction(call)
    return receiptOf(anvil, hash)
  })

/** The check endpoint in the quote. */
const endpointOf = ({ steps }: QuoteAnswer): string =>
  steps.flatMap(({ items }) => items).find(({ check }) => check !== undefined)?.check?.endpoint ?? "/missing"

export const status = (url: string, quoted: QuoteAnswer) =>
  Effect.promise(async () => {
    const response = await fetchOnce(`${url}${endpointOf(quoted)}`)
    return Schema.decodeUnknownSync(StatusAnswer)(await response.json())
  })

/** Polls the check endpoint until the state is terminal. */
export const ended = (url: string, quoted: QuoteAnswer) =>
  status(url, quoted).pipe(
    Effect.tap((answer) => isTerminal(answer) ? Effect.void : Effect.sleep(100)),
    Effect.repeat({ until: isTerminal })
  )

const isTerminal = (answer: StatusAnswer): boolean => ["success", "refund", "failure"].includes(answer.status)
