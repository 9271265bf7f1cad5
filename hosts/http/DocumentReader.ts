/**
 * Shows an OpenAPI document to people, in light or dark as their system is set. Script and style are in the page, which
 * loads nothing from elsewhere. They are megabytes, so the page is made when it is first asked for.
 */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { prepare } from "./PreparedAnswer.ts"

/** `document` is shown in place of what Effect would make of the API. */
export const layerReader = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  path: `/${string}`,
  document: object
) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const reader = HttpApiScalar.layer(api.annotate(OpenApi.Transform, () => ({ ...document })), {
      path,
      scalar: { withDefaultFonts: false, hideModels: false, showOperationId: true }
    })
    const page = yield* Effect.cached(
      Effect.scoped(Effect.flatMap(HttpRouter.toHttpEffect(reader), Effect.map((answer) => prepare(answer))))
    )
    yield* router.add("GET", path, ({ headers }) => Effect.map(page, (prepared) => prepared(headers)))
  }))
