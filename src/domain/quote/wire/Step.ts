/** Steps of a quote (STEP-1, STEP-5, STEP-12): what the user executes, in order. Items of one step are of one kind. */
import * as Schema from "effect/Schema"
import { SignatureData } from "./SignatureData.ts"
import { TransactionData } from "../../families/TransactionData.ts"

/** Where to poll for the outcome of a step's item. */
export const Check = Schema.Struct({
  endpoint: Schema.String.annotate({ description: "path and query at which the request's status is polled" }),
  method: Schema.Literal("GET")
})

const item = <Data extends Schema.Constraint>(data: Data) =>
  Schema.Struct({
    status: Schema.Literals(["incomplete", "complete"]),
    data,
    check: Schema.optionalKey(
      Check.annotate({
        description:
          "on every item but those of the steps approve and authorize, which cannot end a transfer: wait for none there"
      })
    )
  })

/** An item that is sent as a transaction. */
export const TransactionItem = item(TransactionData)
export type TransactionItem = typeof TransactionItem.Type

/** An item that is signed and posted. */
export const SignatureItem = item(SignatureData)
export type SignatureItem = typeof SignatureItem.Type

const common = {
  id: Schema.Literals(["approve", "deposit", "authorize", "authorize1", "swap", "send"]),
  action: Schema.String.annotate({ description: "text for the user" }),
  description: Schema.String,
  requestId: Schema.String,
  depositAddress: Schema.optionalKey(
    Schema.String.annotate({ description: "with useDepositAddress: where the plain transfer goes" })
  )
}

/** A step of transactions. */
export const TransactionStep = Schema.Struct({
  ...common,
  kind: Schema.Literal("transaction"),
  items: Schema.Array(TransactionItem)
})
export type TransactionStep = typeof TransactionStep.Type

/** A step of signatures. */
export const SignatureStep = Schema.Struct({
  ...common,
  kind: Schema.Literal("signature"),
  items: Schema.Array(SignatureItem)
})
export type SignatureStep = typeof SignatureStep.Type

/** One step of a quote: transactions or signatures, in order. */
export const Step = Schema.Union([TransactionStep, SignatureStep])
export type Step = typeof Step.Type
