/**
 * The transfer service as a client sees it: HTTP, and the fields that a wallet needs, decoded on arrival. Imports
 * nothing of the service's code.
 */
import { Effect, Option, Schedule, Schema } from "effect"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"

const Digits = Schema.String.check(Schema.isPattern(/^[0-9]+$/))
const Hex = Schema.TemplateLiteral(["0x", Schema.String])

/** A transaction of a step. Every amount is a decimal string. */
export const StepTransaction = Schema.Struct({
  from: Hex,
  to: Hex,
  data: Hex,
  value: Digits,
  chainId: Schema.Int,
  gas: Schema.optionalKey(Digits),
  maxFeePerGas: Digits,
  maxPriorityFeePerGas: Digits
})
export type StepTransaction = typeof StepTransaction.Type

/** A step on a Solana chain: instructions, from which the user makes a transaction. */
export const SolanaStep = Schema.Struct({
  instructions: Schema.Array(Schema.Struct({
    keys: Schema.Array(Schema.Struct({ pubkey: Schema.String, isSigner: Schema.Boolean, isWritable: Schema.Boolean })),
    programId: Schema.String,
    data: Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2})*$/))
  })),
  addressLookupTableAddresses: Schema.Array(Schema.String),
  feePayer: Schema.String
})
export type SolanaStep = typeof SolanaStep.Type

/** A step on a Bitcoin chain: the transaction, which the user signs. */
export const BitcoinStep = Schema.Struct({ psbt: Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2})+$/)) })
export type BitcoinStep = typeof BitcoinStep.Type

const TronAccount = Schema.String.check(Schema.isPattern(/^41[0-9a-f]{40}$/))

/** A step on a Tron chain: what tronweb makes a transaction of. */
export const TronStep = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("TriggerSmartContract"),
    parameter: Schema.Struct({
      owner_address: TronAccount,
      contract_address: TronAccount,
      data: Schema.String,
      call_value: Schema.Int
    })
  }),
  Schema.Struct({
    type: Schema.Literal("TransferContract"),
    parameter: Schema.Struct({ owner_address: TronAccount, to_address: TronAccount, amount: Schema.Int }),
    memo: Schema.optionalKey(Schema.String)
  })
])
export type TronStep = typeof TronStep.Type

const Members = Schema.Record(Schema.String, Schema.Unknown)
const Types = Schema.Record(Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })))

/** The first step of a deposit on exchange A: what its nonce stands for, signed and posted to the service. */
export const ExchangeAMapping = Schema.Struct({
  sign: Schema.Struct({ types: Types, primaryType: Schema.String, value: Members }),
  post: Schema.Struct({ endpoint: Schema.String, body: Members })
})
export type ExchangeAMapping = typeof ExchangeAMapping.Type

/** The second: the transfer, signed and posted to the exchange itself. */
export const ExchangeATransfer = Schema.Struct({
  action: Schema.Struct({ type: Schema.String, parameters: Members }),
  eip712Types: Types,
  eip712PrimaryType: Schema.String
})
export type ExchangeATransfer = typeof ExchangeATransfer.Type

/** A step on exchange B: the parameters of a transfer, as the exchange's SDK takes them. */
export const ExchangeBTransfer = Schema.Struct({
  action: Schema.Struct({
    type: Schema.Literal("transfer"),
    parameters: Schema.Struct({
      toAccountIndex: Schema.Int,
      assetIndex: Schema.Int,
      fromRouteType: Schema.Int,
      toRouteType: Schema.Int,
      amount: Schema.Int,
      usdcFee: Schema.Int,
      memo: Hex
    })
  })
})
export type ExchangeBTransfer = typeof ExchangeBTransfer.Type

/** A step of a family that only its own clients know. */
export const FurtherStep = Schema.Struct({ vmType: Schema.String, transaction: Schema.Json })

const StepData = Schema.Union([
  FurtherStep,
  StepTransaction,
  SolanaStep,
  BitcoinStep,
  TronStep,
  ExchangeAMapping,
  ExchangeATransfer,
  ExchangeBTransfer
])
export type StepData = typeof StepData.Type

const Amount = Schema.Struct({
  currency: Schema.Struct({ symbol: Schema.String, decimals: Schema.Int }),
  amount: Digits,
  amountFormatted: Schema.String
})

const AnyJson = Schema.fromJsonString(Schema.Unknown)

const Check = Schema.Struct({ endpoint: Schema.String, method: Schema.Literal("GET") })

export const QuoteAnswer = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: Schema.optionalKey(Schema.String),
    items: Schema.Array(
      Schema.Struct({
        data: StepData,
        check: Schema.optionalKey(Check)
      })
    )
  })),
  details: Schema.Struct({
    currencyIn: Amount,
    currencyOut: Schema.Struct({ ...Amount.fields, minimumAmount: Digits })
  }),
  /** Present when a sponsor is to pay. */
  feeSponsorship: Schema.optionalKey(Schema.Struct({
    quoted: Schema.Struct({
      sponsoredTotal: Schema.Struct({ amountUsd: Schema.String }),
      components: Schema.Record(
        Schema.String,
        Schema.Struct({ sponsored: Schema.Struct({ amountUsd: Schema.String }) })
      )
    })
  })),
  protocol: Schema.Struct({
    v2: Schema.Struct({
      /** Complete, because it is passed on to the oracle. */
      orderData: Schema.StructWithRest(Schema.Struct({ solverChainId: Schema.String, solver: Hex }), [
        Schema.Record(Schema.String, Schema.Json)
      ]),
      orderSignature: Schema.String
    })
  })
})
export type QuoteAnswer = typeof QuoteAnswer.Type

export const StatusAnswer = Schema.Struct({
  status: Schema.String,
  inTxHashes: Schema.Array(Schema.String),
  txHashes: Schema.Array(Schema.String),
  failReason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** What each refund paid, once it is known. */
  refunds: Schema.optionalKey(Schema.Array(Schema.Struct({ refunded: Schema.NullOr(Digits) })))
})
export type StatusAnswer = typeof StatusAnswer.Type

export interface QuoteRequest {
  readonly user: string
  readonly recipient: string
  readonly originChainId: number
  readonly destinationChainId: number
  readonly originCurrency: string
  readonly destinationCurrency: string
  readonly amount: string
  readonly tradeType: "EXACT_INPUT"
  readonly includeProtocolData: true
  readonly useDepositAddress?: true
  readonly refundTo?: string
  readonly subsidizeFees?: true
  readonly subsidizeRent?: true
  readonly refundOnOrigin?: true
  readonly referrer?: string
}

const Refusal = Schema.Struct({ message: Schema.String, errorCode: Schema.optionalKey(Schema.String) })

const explain = (what: string, status: number, body: unknown): LocalnetError => {
  const refusal = Schema.decodeUnknownOption(Refusal)(body)
  const said = refusal._tag === "Some"
    ? `${refusal.value.message}${refusal.value.errorCode === undefined ? "" : ` (${refusal.value.errorCode})`}`
    : JSON.stringify(body).slice(0, 300)
  // Not every route names it.
  const reason = Option.getOrUndefined(refusal)?.errorCode ?? (status === 503 ? "SERVICE_UNAVAILABLE" : undefined)
  return new LocalnetError({
    message: `${what} was answered with ${status}: ${said}`,
    ...(reason === undefined ? {} : { reason })
  })
}

const call = <A, E>(what: string, url: string, schema: Schema.Codec<A, E>, init: RequestInit = {}) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { ...init, signal })
      const text = await response.text()
      return { status: response.status, text }
    },
    catch: (cause) =>
      new LocalnetError({ message: `${url} does not answer: ${reasonOf(cause)}`, reason: "unreachable" })
  }).pipe(
    // A connection that is kept may be closed just as the request goes out. Asking again changes nothing.
    Effect.retry({ times: 2 }),
    Effect.flatMap(({ status, text }) =>
      Effect.gen(function*() {
        const body = yield* Schema.decodeUnknownEffect(AnyJson)(text).pipe(
          Effect.orElseSucceed((): unknown => text)
        )
        if (status !== 200) return yield* explain(what, status, body)
        return yield* Schema.decodeUnknownEffect(schema)(body).pipe(
          Effect.mapError((error) => new LocalnetError({ message: `${what}: unexpected answer: ${error.message}` }))
        )
      })
    )
  )

const whileLate = <A>(asked: Effect.Effect<A, LocalnetError>): Effect.Effect<A, LocalnetError> =>
  Effect.retry(asked, {
    while: ({ reason }) => reason === "SERVICE_UNAVAILABLE",
    schedule: Schedule.spaced("500 millis"),
    times: 60
  })

/**
 * `POST /quote`, with an API key if there is one. Asks again for half a minute while a chain or a server of routes is
 * late. Errors: unreachable, refused (with the service's own message), unexpected answer.
 */
export const quote = (
  transferUrl: string,
  request: QuoteRequest,
  apiKey?: string
): Effect.Effect<QuoteAnswer, LocalnetError> =>
  call("the quote", `${transferUrl}/quote`, QuoteAnswer, {
    method: "POST",
    headers: { "content-type": "application/json", ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) },
    body: JSON.stringify(request)
  }).pipe(whileLate)

/** Names a transaction, for the service to look at now. Asks again for half a minute while the chain is late. */
export const named = (transferUrl: string, chainId: number, txHash: string) =>
  call("naming a transaction", `${transferUrl}/transactions/index`, Schema.Struct({ message: Schema.String }), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ chainId, txHash })
  }).pipe(whileLate)

/** The check endpoint that a step names. */
export const check = (transferUrl: string, endpoint: string): Effect.Effect<StatusAnswer, LocalnetError> =>
  call("the check", `${transferUrl}${endpoint}`, StatusAnswer)

const RequestsAnswer = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({
      settlements: Schema.Array(Schema.Struct({
        inTxHash: Schema.String,
        state: Schema.String,
        reason: Schema.NullOr(Schema.String),
        txHash: Schema.NullOr(Schema.String)
      })),
      feeSponsorship: Schema.optionalKey(Schema.Struct({
        actual: Schema.optionalKey(
          Schema.Struct({
            sponsorPayment: Schema.Struct({ amount: Digits }),
            sponsoredTotal: Schema.Struct({ amountUsd: Schema.String })
          })
        )
      }))
    })
  }))
})

const historyOf = (transferUrl: string, by: "id" | "txHash", value: string) =>
  Effect.map(
    call("the history", `${transferUrl}/requests?${by}=${value}`, RequestsAnswer),
    ({ requests }) => requests.map(({ data }) => data)
  )

/** The settlement state of a transaction's deposits. */
export const settlements = (transferUrl: string, txHash: string) =>
  Effect.map(historyOf(transferUrl, "txHash", txHash), (requests) => requests.flatMap((request) => request.settlements))

/** The settlement state of a request's deposits. */
export const settlementsOf = (transferUrl: string, requestId: string) =>
  Effect.map(historyOf(transferUrl, "id", requestId), (requests) => requests.flatMap((request) => request.settlements))

/** What the sponsor really paid, once it is known. */
export const sponsored = (transferUrl: string, txHash: string) =>
  Effect.map(historyOf(transferUrl, "txHash", txHash), ([request]) => request?.feeSponsorship?.actual)
