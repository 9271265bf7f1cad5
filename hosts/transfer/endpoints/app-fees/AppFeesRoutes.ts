/** GET /app-fees/{wallet}/balances. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Balances } from "../../../../src/services/app-balance/Balances.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { TransferApi } from "../TransferApi.ts"
import { balanceRow } from "./AppFeesRows.ts"
import { inputErrors } from "../status/StatusRoutes.ts"

export const layer = HttpApiBuilder.group(
  TransferApi,
  "appFees",
  Effect.fn(function*(handlers) {
    const wallets = yield* Balances

    const balances = Effect.fn("http.appBalance")(
      function*({ params }: { readonly params: { readonly wallet: string } }) {
        return balanceRow(yield* wallets.of(yield* wallets.walletOf(params.wallet)))
      },
      Effect.mapError(({ _tag, message }) =>
        _tag === "InvalidWallet" ? new BadRequest({ message }) : new Unavailable({ message })
      )
    )

    return handlers.handleAll({ balances })
  })
).pipe(Layer.provide(inputErrors))
