/** POST /transactions/index and /transactions/single (STATUS-7): definition only. */
import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { bodyErrors, Defect, idempotencyHeader } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

const chainIdText = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,15}$/u, { expected: "the number of a chain" }))
  .pipe(
    Schema.decodeTo(ChainId, SchemaTransformation.numberFromString)
  )

/** A chain id as clients write it. */
const WireChainId = Schema.Union([ChainId, chainIdText])

const txHash = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)).annotate({
  description: "id of a transaction in its chain's own spelling"
})

export const IndexRequest = Schema.Struct({
  txHash,
  chainId: WireChainId,
  requestId: Schema.optionalKey(
    RequestId.annotate({ description: "accepted and not needed: a deposit names its order itself" })
  )
}).annotate({ identifier: "IndexRequest" })

export const SingleRequest = Schema.Struct({
  requestId: RequestId,
  chainId: WireChainId,
  tx: Schema.String.check(Schema.isMaxLength(10_000)).annotate({ description: "JSON text of an object with txHash" })
}).annotate({ identifier: "SingleRequest" })

export const TxText = Schema.fromJsonString(Schema.Struct({ txHash }))

export const IndexAnswer = Schema.Struct({ message: Schema.String }).annotate({ identifier: "IndexAnswer" })

const errors = [BadRequest, Unavailable, Defect, ...bodyErrors] as const

export const IndexApi = HttpApiGroup.make("transactions").add(
  HttpApiEndpoint.post("index", "/transactions/index", {
    headers: idempotencyHeader,
    payload: IndexRequest,
    success: IndexAnswer,
    error: errors
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "indexTransaction",
      summary: "Check a transaction now",
      description:
        "For deposits that should not wait for the next scan, and for sends within an exchange, which nobody lists: these wait until they are named here. Limited for each chain. Idempotent: a deposit is recorded once."
    })),
  HttpApiEndpoint.post("single", "/transactions/single", {
    headers: idempotencyHeader,
    payload: SingleRequest,
    success: IndexAnswer,
    error: errors
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "indexSingleTransaction",
        summary: "The same for one request, with the transaction as JSON text"
      })
    )
).middleware(InputErrors)
