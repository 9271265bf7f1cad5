/** The operator's keys: POST, GET and DELETE /api-keys, and their rotation. */
import { Effect, Layer, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { KeptApiKey } from "../../../../ports/store/clients/ApiKeys.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { ApiKeyId } from "../../../../src/domain/api-key/ApiKey.ts"
import { IssuingKeys } from "../../../../src/services/clients/IssuingKeys.ts"
import { DEFAULT_OVERLAP_SECONDS } from "./KeysApi.ts"
import type { KeyRow } from "./KeysApi.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { secretAnswer } from "../SecretAnswer.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
const isoOrNull = (milliseconds: number | undefined) => milliseconds === undefined ? null : iso(milliseconds)

/** A key as it is listed. */
export const keyRow = ({ createdAt, key, revokedAt, rotatingUntil }: KeptApiKey): KeyRow => ({
  id: key.id,
  label: key.label,
  wallet: key.wallet ?? null,
  createdAt: iso(createdAt),
  revokedAt: isoOrNull(revokedAt),
  rotatingUntil: isoOrNull(rotatingUntil)
})

const unavailable = ({ message }: StoreUnavailable) => new Unavailable({ message })

const noKey = new NotFound({ message: "there is no key with this id, or it is revoked; GET /api-keys lists them" })

export const layer = HttpApiBuilder.group(
  TransferApi,
  "keys",
  Effect.fn(function*(handlers) {
    const issuing = yield* IssuingKeys

    interface OfKey {
      readonly params: { readonly id: ApiKeyId }
    }

    const rotate = Effect.fn("http.rotateKey")(
      function*({ params, payload }: OfKey & { readonly payload: { readonly overlapSeconds?: number } }) {
        const rotated = yield* Effect.mapError(
          issuing.rotate(params.id, payload.overlapSeconds ?? DEFAULT_OVERLAP_SECONDS),
          unavailable
        )
        if (rotated === undefined) return yield* noKey
        return secretAnswer({
          id: params.id,
          key: Redacted.value(rotated.text),
          previousUntil: iso(rotated.previousUntil)
        })
      }
    )

    const revoke = Effect.fn("http.revokeKey")(function*({ params }: OfKey) {
      const at = yield* Effect.mapError(issuing.revoke(params.id), unavailable)
      return at === undefined ? yield* noKey : { id: params.id, revokedAt: iso(at) }
    })

    return handlers.handleAll({
      create: ({ payload }) =>
        Effect.mapBoth(issuing.create(payload.label), {
          onSuccess: ({ key, text }) => secretAnswer({ id: key.id, key: Redacted.value(text), label: key.label }),
          onFailure: unavailable
        }),
      list: () =>
        Effect.mapBoth(issuing.all, { onSuccess: (all) => ({ keys: all.map(keyRow) }), onFailure: unavailable }),
      rotate,
      revoke
    })
  })
).pipe(Layer.provide(inputErrors))
