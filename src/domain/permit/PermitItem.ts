/** A quote's signature item for a permit: the message to sign, and where to post the signature (STEP-8, STEP-10). */
import type { SignatureData } from "../quote/wire/SignatureData.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { PermitKind } from "./Permit.ts"
import type { PermitMessage } from "./PermitMessage.ts"

/** The endpoint for signatures of permits. */
export const PERMITS_ENDPOINT = "/execute/permits"

export const permitItem = (kind: PermitKind, requestId: RequestId | string, message: PermitMessage): SignatureData => ({
  sign: { signatureKind: "eip712", ...message },
  post: { endpoint: PERMITS_ENDPOINT, method: "POST", body: { kind, requestId, api: "bridge" } }
})
