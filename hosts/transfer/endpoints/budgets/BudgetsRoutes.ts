/** Budgets of API keys: GET and PUT /api-keys/{id}/budgets. */
import { Clock, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Budgets } from "../../../../ports/store/ledger/Budgets.ts"
import type { KeyBudget } from "../../../../ports/store/ledger/Budgets.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { ApiKeyId } from "../../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../../../src/domain/ledger/MicroUsdc.ts"
import type { BudgetRequest } from "./BudgetsApi.ts"
import { NotFound } from "../pauses/PausesApi.ts"
import { Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

const shown = (units: MicroUsdc | undefined): string | null => units?.toString() ?? null

const row = ({ defaultCap, limits, spent, spentToday }: KeyBudget) => ({
  total: shown(limits.total),
  perDay: shown(limits.perDay),
  perRecipientPerDay: shown(limits.perRecipientPerDay),
  laterPerAddressPerDay: shown(limits.laterPerAddressPerDay),
  defaultCap: shown(defaultCap),
  spent: { total: spent.toString(), today: spentToday.toString() }
})

const changed = (text: string | null | undefined): MicroUsdc | null | undefined =>
  text === null || text === undefined ? text : MicroUsdc(BigInt(text))

const changeOf = ({ defaultCap, laterPerAddressPerDay, perDay, perRecipientPerDay, total }: BudgetRequest) => ({
  total: changed(total),
  perDay: changed(perDay),
  perRecipientPerDay: changed(perRecipientPerDay),
  laterPerAddressPerDay: changed(laterPerAddressPerDay),
  defaultCap: changed(defaultCap)
})

const noSuchKey = new NotFound({ message: "no API key has this id" })

const onTheWire = ({ message }: StoreUnavailable) => new Unavailable({ message })

export const layer = HttpApiBuilder.group(
  TransferApi,
  "budgets",
  Effect.fn(function*(handlers) {
    const budgets = yield* Budgets

    const show = Effect.fnUntraced(function*(id: string) {
      const found = yield* Effect.mapError(budgets.find(ApiKeyId.make(id), yield* Clock.currentTimeMillis), onTheWire)
      return found === undefined ? yield* noSuchKey : row(found)
    })

    const change = Effect.fn("http.changeBudget")(
      function*(
        { params: { id }, payload }: { readonly params: { readonly id: string }; readonly payload: BudgetRequest }
      ) {
        yield* Effect.mapError(budgets.change(ApiKeyId.make(id), changeOf(payload)), onTheWire)
        return yield* show(id)
      }
    )

    return handlers.handleAll({ budget: ({ params }) => show(params.id), changeBudget: change })
  })
).pipe(Layer.provide(inputErrors))
