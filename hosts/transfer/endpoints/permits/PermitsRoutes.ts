/** POST /execute/permits: accepts or refuses a signature. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { PermitKind } from "../../../../src/domain/permit/Permit.ts"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import type { Hex } from "../../../../src/domain/encoding/Hex.ts"
import { acceptPermit } from "../../../../src/services/permits/AcceptingPermits.ts"
import type { AcceptedPermit } from "../../../../src/services/permits/AcceptingPermits.ts"
import { noteTransfer } from "../../../http/RequestNotes.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const sentences: Readonly<Record<AcceptedPermit, string>> = {
  accepted: "the permit is accepted and its deposit is submitted; GET /intents/status shows its outcome",
  again: "the permit was accepted before; GET /intents/status shows its outcome"
}

interface Posted {
  readonly query: { readonly signature: Hex }
  readonly payload: { readonly kind: PermitKind; readonly requestId: RequestId }
}

export const layer = HttpApiBuilder.group(
  TransferApi,
  "permits",
  (handlers) =>
    handlers.handleAll({
      permit: Effect.fn("http.permit")(function*({ payload: { kind, requestId }, query: { signature } }: Posted) {
        yield* noteTransfer(requestId)
        return yield* acceptPermit({ kind, requestId, signature }).pipe(
          Effect.map((accepted) => ({ message: sentences[accepted] })),
          Effect.mapError((failure) =>
            failure._tag === "PermitRefused"
              ? new BadRequest({ message: failure.message, errorCode: "PERMIT_FAILED" })
              : new Unavailable({ message: failure.message })
          )
        )
      })
    })
).pipe(Layer.provide(inputErrors))
