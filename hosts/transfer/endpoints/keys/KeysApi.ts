/** The operator's keys (KEY-1): definition only. These routes exist only with ADMIN_TOKEN. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ApiKeyId, ApiKeyLabel } from "../../../../src/domain/api-key/ApiKey.ts"
import { bodyErrors, Defect, idempotencyHeader, neverStored, readErrors } from "../CommonErrors.ts"
import { Admin, NotFound } from "../pauses/PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

const Time = Schema.String.annotate({ description: "ISO 8601" })

const label = ApiKeyLabel.annotate({ description: "a name for it: one line of up to 100 characters" })

const keyText = Schema.String.annotate({
  description: "shown this once: cwk_ and 43 characters; only its hash is kept"
})

export const KeyRequest = Schema.Struct({ label }).annotate({ identifier: "KeyRequest" })

export const NewKey = Schema.Struct({ id: Schema.String, key: keyText, label: Schema.String }).annotate({
  identifier: "NewKey"
})

/** The longest overlap. With an endless overlap the old text would never be replaced. */
const MAX_OVERLAP_SECONDS = 30 * 24 * 3600

/** Enough for most deployments to put a new key everywhere. */
export const DEFAULT_OVERLAP_SECONDS = 24 * 3600

export const RotateRequest = Schema.Struct({
  overlapSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }))
      .annotate({
        description: "for how long the present text stays valid; a day when left out, 0 for a text that leaked"
      })
  )
}).annotate({ identifier: "RotateRequest" })

export const RotatedKey = Schema.Struct({ id: Schema.String, key: keyText, previousUntil: Time }).annotate({
  identifier: "RotatedKey"
})

export const KeyRow = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  wallet: Schema.NullOr(Schema.String).annotate({ description: "whose app balance it may spend" }),
  createdAt: Time,
  revokedAt: Schema.NullOr(Schema.String).annotate({ description: "ISO 8601, since when it is refused" }),
  rotatingUntil: Schema.NullOr(Schema.String).annotate({
    description: "ISO 8601, until when its text before the last rotation is valid"
  })
}).annotate({ identifier: "Key" })
export type KeyRow = typeof KeyRow.Type

export const RevokedKey = Schema.Struct({ id: Schema.String, revokedAt: Time }).annotate({ identifier: "RevokedKey" })

/** A key in a path. */
export const keyParams = {
  id: ApiKeyId.annotate({ description: "id of the key, as GET /api-keys has it" })
}

export const KeysApi = HttpApiGroup.make("keys").add(
  HttpApiEndpoint.post("create", "/api-keys", {
    headers: idempotencyHeader,
    payload: KeyRequest,
    success: NewKey,
    error: [BadRequest, Unavailable, Defect, ...bodyErrors]
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "createApiKey",
        summary: "Make an API key, shown once",
        description: neverStored
      })
    ),
  HttpApiEndpoint.get("list", "/api-keys", {
    success: Schema.Struct({ keys: Schema.Array(KeyRow) }),
    error: [BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "getApiKeys",
        summary: "Every key, oldest first, the revoked ones too; no texts, no hashes"
      })
    ),
  HttpApiEndpoint.post("rotate", "/api-keys/:id/rotate", {
    params: keyParams,
    headers: idempotencyHeader,
    payload: RotateRequest,
    success: RotatedKey,
    error: [NotFound, BadRequest, Unavailable, Defect, ...bodyErrors]
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "rotateApiKey",
      summary: "Give a key a new text, shown once",
      description:
        `Its present text stays valid for the overlap; one that an earlier rotation left valid ends now. Id, wallet and budgets stay. ${neverStored}`
    })),
  HttpApiEndpoint.delete("revoke", "/api-keys/:id", {
    params: keyParams,
    success: RevokedKey,
    error: [NotFound, BadRequest, Unavailable, ...readErrors]
  })
    .annotateMerge(OpenApi.annotations({
      identifier: "deleteApiKey",
      summary: "Revoke a key at once",
      description:
        "From the answer on its texts are refused in every process, for ever. Revoking twice is revoking once."
    }))
).middleware(InputErrors).middleware(Admin)
