/** The operator's pauses, and halts with their causes: POST, GET and DELETE /admin/pauses, GET /admin/losses. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import type { BookedLoss } from "../../../../ports/store/ledger/Losses.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { Pause } from "../../../../src/domain/pause/Pause.ts"
import { Pausing } from "../../../../src/services/operations/Pausing.ts"
import type { NamedScope, PauseRefused } from "../../../../src/services/operations/Pausing.ts"
import { NotFound } from "./PausesApi.ts"
import type { PauseRequest } from "./PausesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const kinds = { Chain: "chain", Currency: "currency", Route: "route", Halt: "halt" } as const

const row = ({ createdAt, id, reason, scope }: Pause) => ({
  id,
  kind: kinds[scope._tag],
  reason,
  createdAt: new Date(createdAt).toISOString()
})

const lossRow = ({ amount, noticedAt, recoveredAt, ...loss }: BookedLoss) => ({
  ...loss,
  amount: amount.toString(),
  noticedAt: new Date(noticedAt).toISOString(),
  recoveredAt: recoveredAt === null ? null : new Date(recoveredAt).toISOString()
})

const scopeOf = (payload: PauseRequest): NamedScope =>
  payload.kind === "route"
    ? {
      kind: "route",
      origin: { chainId: payload.originChainId, currency: payload.originCurrency },
      destination: { chainId: payload.destinationChainId, currency: payload.destinationCurrency }
    }
    : payload

const onTheWire = (failure: PauseRefused | StoreUnavailable) =>
  failure._tag === "PauseRefused"
    ? new BadRequest({ message: failure.message })
    : new Unavailable({ message: failure.message })

export const layer = HttpApiBuilder.group(
  TransferApi,
  "admin",
  Effect.fn(function*(handlers) {
    const pausing = yield* Pausing
    const booked = yield* Losses
    const pauses = Effect.mapBoth(pausing.all, { onSuccess: (all) => ({ pauses: all.map(row) }), onFailure: onTheWire })

    const resume = Effect.fn("http.resume")(function*({ params }: { readonly params: { readonly id: string } }) {
      const resumed = yield* Effect.mapError(pausing.resume(params.id), onTheWire)
      return resumed
        ? yield* pauses
        : yield* new NotFound({ message: "nothing with this id is paused; GET /admin/pauses lists what is" })
    })

    return handlers.handleAll({
      pause: ({ payload }) =>
        Effect.mapBoth(pausing.pause(scopeOf(payload), payload.reason ?? ""), { onSuccess: row, onFailure: onTheWire }),
      pauses: () => pauses,
      losses: () =>
        Effect.mapBoth(booked.all, { onSuccess: (all) => ({ losses: all.map(lossRow) }), onFailure: onTheWire }),
      resume
    })
  })
).pipe(Layer.provide(inputErrors))
