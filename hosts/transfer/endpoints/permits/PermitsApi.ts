/** POST /execute/permits (STEP-8, STEP-10): submits the signature for a quote's `authorize1` step. Definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import { PermitKind } from "../../../../src/domain/permit/Permit.ts"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { bodyErrors, Defect, idempotencyHeader } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

/** Wallets with many owners have long signatures, but a query is short. */
const MAX_SIGNATURE_LENGTH = 8_194

export const PermitBody = Schema.Struct({
  kind: PermitKind.annotate({ description: "as the quote's step says" }),
  requestId: RequestId,
  api: Schema.Literal("bridge").annotate({ description: "as the quote's step says" })
}).annotate({ identifier: "PermitBody" })

export const PermitAnswer = Schema.Struct({ message: Schema.String }).annotate({ identifier: "PermitAnswer" })

export const PermitsApi = HttpApiGroup.make("permits").add(
  HttpApiEndpoint.post("permit", "/execute/permits", {
    headers: idempotencyHeader,
    query: {
      signature: Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(MAX_SIGNATURE_LENGTH)).pipe(
        Schema.decodeTo(HexFromString)
      ).pipe(
        Schema.annotateEncoded({
          description:
            "the user's, of the typed data of the step: 65 bytes of an account, or what its contract takes (EIP-1271)"
        })
      )
    },
    payload: PermitBody,
    success: PermitAnswer,
    error: [BadRequest, Unavailable, Defect, ...bodyErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "executePermit",
    summary: "Deposit by a signature",
    description: [
      "Posts the signature of an authorize1 step; the deposit is then submitted for the user, and its gas is among the quote's fees.",
      "The same again is the same one. Refused with PERMIT_FAILED: a wrong signer, an expired permit, a used nonce, a balance or an approval that is not there, a deposit that reverts."
    ].join(" ")
  }))
).middleware(InputErrors)
