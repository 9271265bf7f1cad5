/**
 * What goes wrong for a client. One class with a `kind`, because a bundle may hold the class twice and `instanceof`
 * would not see it.
 */

/**
 * - `refused`: the service refused the request; `code` says why, `field` which member is at fault.
 * - `unavailable`: the service cannot answer now. Ask again after `retryAfterSeconds`.
 * - `unreachable`: no answer came, or one that is not the service's.
 * - `unverified`: a quote does not do what was asked for. Do not pay.
 * - `wallet`: the wallet refused, or what it sent did not succeed. Nothing further was sent.
 * - `paid`: the request has a deposit already. Nothing was sent.
 */
export type ClientErrorKind = "refused" | "unavailable" | "unreachable" | "unverified" | "wallet" | "paid"

/** What a `ClientError` is made from. */
export interface ClientErrorParts {
  readonly kind: ClientErrorKind
  readonly message: string
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined
  /** The API's error code. */
  readonly code?: string | undefined
  /** The member of the request that is at fault. */
  readonly field?: string | undefined
  /** What the service's log has it under. */
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly cause?: unknown
}

/** Everything that a client rejects with, besides the reason of an abort. */
export class ClientError extends Error {
  override readonly name = "ClientError"
  readonly kind: ClientErrorKind
  readonly status: number | undefined
  readonly code: string | undefined
  readonly field: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ cause, code, field, kind, message, requestId, retryAfterSeconds, status }: ClientErrorParts) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.status = status
    this.code = code
    this.field = field
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}
