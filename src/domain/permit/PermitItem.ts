/**
 * What a signature item of a quote says for a permit: what is signed, and where the signature is posted (STEP-8,
 * STEP-10).
 */
import type { SignatureData } from "../quote/wire/SignatureData.ts"
import type { RequestId } from "../transfer/RequestId.ts"
import type { PermitKind } from "./Permit.ts"
import type { PermitMessage } from "./PermitMessage.ts"

/** Where signatures of permits are posted. */
export const PERMITS_ENDPOINT = "/execute/permits"

export const permitItem = (kind: PermitKind, requestId: RequestId | string, message: PermitMessage): SignatureData => ({
  sign: { signatureKind: "eip712", ...message },
  post: { endpoint: PERMITS_ENDPOINT, method: "POST", body: { kind, requestId, api: "bridge" } }
})
