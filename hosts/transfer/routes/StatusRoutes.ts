/** GET /intents/status. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import { Statuses } from "../../../src/services/Statuses.ts"
import type { KnownTransfer } from "../../../src/services/Statuses.ts"
import { BadRequest, Unavailable } from "../api/QuoteErrors.ts"
import { InputErrors } from "../api/StatusApi.ts"
import type { IntentStatus } from "../api/StatusApi.ts"
import { TransferApi } from "../api/TransferApi.ts"

/** For people; clients read `status`. */
const explanations: Readonly<Record<Status, string>> = {
  waiting: "waiting for the deposit",
  depositing: "the deposit was seen and is being confirmed",
  pending: "the deposit is confirmed, the payment is being made",
  submitted: "the payment was sent",
  delayed: "the payment takes longer than expected",
  success: "the payment was made",
  refund: "the deposit was refunded",
  failure: "the deposit could be neither filled nor refunded"
}

const unknown: IntentStatus = {
  status: "unknown",
  details: "no request has this id",
  inTxHashes: [],
  txHashes: [],
  failReason: "N/A",
  refundFailReason: "N/A"
}

const describe = ({ transactions, transfer }: KnownTransfer): IntentStatus => {
  const ids = (direction: "in" | "out") =>
    transactions.filter((each) => each.direction === direction).map((each) => each.transactionId)
  return {
    status: transfer.status,
    details: explanations[transfer.status],
    inTxHashes: ids("in"),
    txHashes: ids("out"),
    updatedAt: transfer.updatedAt,
    originChainId: transfer.terms.originChainId,
    destinationChainId: transfer.terms.destinationChainId,
    quoteCreatedAt: transfer.quotedAt,
    failReason: transfer.failReason ?? "N/A",
    refundFailReason: transfer.status === "failure" && transfer.failReason !== null ? transfer.failReason : "N/A"
  }
}

export const inputErrors = HttpApiMiddleware.layerSchemaErrorTransform(InputErrors, (error) =>
  error.kind === "Body"
    ? Effect.fail(error)
    : Effect.fail(new BadRequest({ message: "requestId must be 0x and 64 lower-case hex digits" })))

export const layer = HttpApiBuilder.group(TransferApi, "intents", Effect.fn(function*(handlers) {
  const statuses = yield* Statuses
  const status = Effect.fn("http.status")(function*({ query }: { readonly query: { readonly requestId: RequestId } }) {
    const known = yield* Effect.mapError(statuses.find(query.requestId), ({ message }) => new Unavailable({ message }))
    return known === undefined ? unknown : describe(known)
  })
  return handlers.handleAll({ status, statusV3: status })
})).pipe(Layer.provide(inputErrors))
