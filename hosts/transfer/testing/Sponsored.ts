/**
 * Sponsored quotes and requests as a stranger reads them, with their own schemas, so that the server's types cannot
 * hide a wrong shape.
 */
import { Effect, Schema } from "effect"
import { get } from "./Get.ts"
import { QuoteAnswer } from "./Client.ts"

const Amount = Schema.Struct({ amount: Schema.String, amountUsd: Schema.String })
const Share = Schema.Struct({ selected: Schema.Boolean, total: Amount, sponsored: Amount, userPays: Amount })

const split = {
  selectedComponents: Schema.Array(Schema.String),
  capHit: Schema.Boolean,
  components: Schema.Record(Schema.String, Share),
  sponsoredTotal: Amount,
  userPaysTotal: Amount,
  maxSubsidizationAmount: Schema.optionalKey(Schema.String)
}

const Quoted = Schema.Struct(split)
const Actual = Schema.Struct({
  ...split,
  sponsorPayment: Schema.Struct({ amount: Schema.String, address: Schema.String, chainId: Schema.Int })
})

export const SponsoredQuote = Schema.Struct({
  ...QuoteAnswer.fields,
  feeSponsorship: Schema.Struct({ quoted: Quoted, actual: Schema.optionalKey(Schema.Unknown) }),
  details: Schema.Struct({
    ...QuoteAnswer.fields.details.fields,
    expandedPriceImpact: Schema.Record(Schema.String, Schema.Struct({ usd: Schema.String }))
  })
})
export type SponsoredQuote = typeof SponsoredQuote.Type

const History = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({
      feeSponsorship: Schema.optionalKey(Schema.Struct({ quoted: Quoted, actual: Schema.optionalKey(Actual) }))
    })
  }))
})

/** Who really paid, from the history. Undefined until it is known. */
export const actualOf = Effect.fnUntraced(
  function*(url: string, { steps }: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }) {
    const answer = yield* get(`${url}/requests?id=${steps[0]?.requestId ?? ""}`)
    const { requests } = yield* Schema.decodeUnknownEffect(History)(answer.json())
    return requests[0]?.data.feeSponsorship?.actual
  }
)
