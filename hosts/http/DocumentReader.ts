/**
 * Shows an OpenAPI document to people, in light or dark as their system is set. Script and style are in the page, which
 * loads nothing from elsewhere.
 */
import { HttpApiScalar, OpenApi } from "effect/http-api"
import type { HttpApi, HttpApiGroup } from "effect/http-api"

/** `document` is shown in place of what Effect would make of the API. */
export const layerReader = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  path: `/${string}`,
  document: object
) =>
  HttpApiScalar.layer(api.annotate(OpenApi.Transform, () => ({ ...document })), {
    path,
    scalar: { withDefaultFonts: false, hideModels: false, showOperationId: true }
  })
