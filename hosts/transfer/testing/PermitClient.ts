/**
 * A client that deposits by a signature, as a stranger would write it: fetch for HTTP, viem for wallets, without our
 * code.
 */
import { Effect, Schema } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { nativeRequest, post, postQuote, reader, sendCall, StatusAnswer } from "./Client.ts"
import type { TestCurrency } from "./Tokens.ts"
import { fetchOnce } from "./Get.ts"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

const Transaction = Schema.Struct({ to: HexText, data: HexText, value: Schema.String })

const Signature = Schema.Struct({
  sign: Schema.Struct({
    signatureKind: Schema.Literal("eip712"),
    domain: Schema.Record(Schema.String, Schema.Unknown),
    types: Schema.Record(Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))),
    primaryType: Schema.String,
    value: Schema.Record(Schema.String, Schema.Unknown)
  }),
  post: Schema.Struct({
    endpoint: Schema.String,
    method: Schema.Literal("POST"),
    body: Schema.Record(Schema.String, Schema.Unknown)
  })
})

const item = <Data extends Schema.Constraint>(data: Data) =>
  Schema.Struct({ data, check: Schema.optionalKey(Schema.Struct({ endpoint: Schema.String })) })

const TransactionStep = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literal("transaction"),
  items: Schema.Array(item(Transaction))
})
const SignatureStep = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literal("signature"),
  items: Schema.Array(item(Signature))
})

export const PermitQuote = Schema.Struct({
  steps: Schema.Array(Schema.Union([TransactionStep, SignatureStep])),
  fees: Schema.Record(Schema.String, Schema.Struct({ amount: Schema.String })),
  feeSponsorship: Schema.optionalKey(Schema.Struct({
    quoted: Schema.Struct({
      components: Schema.Record(
        Schema.String,
        Schema.Struct({
          total: Schema.Struct({ amount: Schema.String }),
          userPays: Schema.Struct({ amount: Schema.String })
        })
      )
    })
  })),
  details: Schema.Struct({
    currencyIn: Schema.Struct({ amount: Schema.String }),
    currencyOut: Schema.Struct({ amount: Schema.String })
  })
})
export type PermitQuote = typeof PermitQuote.Type
export type SignedItem = (typeof SignatureStep.Type)["items"][number]

/** A request for a transfer of one token to itself on the other chain, deposited by a signature. */
export const permitRequest = (
  user: string,
  from: Anvil,
  to: Anvil,
  { address, some }: TestCurrency,
  changes: object = {}
) =>
  nativeRequest(user, from, to, some, {
    originCurrency: address,
    destinationCurrency: address,
    usePermit: true,
    ...changes
  })

/** The quote, as text and as a value. */
export const quotePermit = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, body, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    return { text: answer.text, quoted: yield* Effect.orDie(Schema.decodeUnknownEffect(PermitQuote)(answer.json())) }
  }
)

/** The only item to sign. */
export const itemOf = ({ steps }: PermitQuote): SignedItem => {
  const found = steps.flatMap((step) => step.kind === "signature" ? step.items : [])[0]
  if (found === undefined) throw new Error("the quote has nothing to sign")
  return found
}

export const signItem = (key: Hex, { data: { sign } }: SignedItem): Effect.Effect<Hex> =>
  Effect.promise(() =>
    privateKeyToAccount(key).signTypedData({
      domain: sign.domain,
      types: sign.types,
      primaryType: sign.primaryType,
      message: sign.value
    })
  )

/** Posts a signature as the step says. */
export const postSignature = (url: string, { data }: SignedItem, signature: Hex, changes: object = {}) =>
  post(`${url}${data.post.endpoint}?signature=${signature}`, { ...data.post.body, ...changes })

/** Sends the user's own transactions that come first. */
export const approve = (anvil: Anvil, key: Hex, { steps }: PermitQuote) =>
  Effect.forEach(
    steps.flatMap((step) => step.kind === "transaction" ? step.items : []),
    ({ data }) => sendCall(anvil, key, { to: data.to, data: data.data, value: BigInt(data.value) })
  )

/** The status at the signed item's check endpoint. */
export const permitStatus = (url: string, { check }: SignedItem) =>
  Effect.promise(async () =>
    Schema.decodeUnknownSync(StatusAnswer)(await (await fetchOnce(`${url}${check?.endpoint}`)).json())
  )

const isTerminal = ({ status }: StatusAnswer): boolean => ["success", "refund", "failure"].includes(status)

/** Polls it until the state is terminal. */
export const permitEnded = (url: string, signed: SignedItem) =>
  permitStatus(url, signed).pipe(
    Effect.tap((answer) => isTerminal(answer) ? Effect.void : Effect.sleep(100)),
    Effect.repeat({ until: isTerminal })
  )

export const transactionOf = (anvil: Anvil, hash: Hex) => Effect.promise(() => reader(anvil).getTransaction({ hash }))
