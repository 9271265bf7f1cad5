/** GET /config/v2: whether a route is open and how much it carries (ROW-3): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { readErrors } from "../CommonErrors.ts"
import { ChainIdText } from "../currencies/CurrenciesApi.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

export const RouteConfig = Schema.Struct({
  enabled: Schema.Boolean.annotate({
    description: "false while the route is paused or a chain of it is out of service"
  }),
  solver: Schema.Struct({
    address: Schema.String.annotate({ description: "the account that pays fills" }),
    balance: Schema.String.annotate({ description: "what it holds, smallest unit" }),
    capacityPerRequest: Schema.String.annotate({
      description: "the most that one request may take now, smallest unit; the gas of its fill is still in it"
    })
  }).annotate({ description: "of the currency on the destination" }),
  supportsExternalLiquidity: Schema.Literal(true).annotate({
    description: "a larger request may wait for inventory: useExternalLiquidity of POST /quote"
  })
}).annotate({ identifier: "RouteConfig" })
export type RouteConfig = typeof RouteConfig.Type

export const ConfigApi = HttpApiGroup.make("config").add(
  HttpApiEndpoint.get("configV2", "/config/v2", {
    query: {
      originChainId: ChainIdText.annotate({ description: "chain of the deposit" }),
      destinationChainId: ChainIdText.annotate({ description: "chain of the delivery" }),
      currency: Schema.optionalKey(
        Schema.String.check(Schema.isMaxLength(64)).annotate({
          description:
            "id of a currency that the solver holds on the destination, as GET /chains has it; its native currency when left out"
        })
      )
    },
    success: RouteConfig,
    error: [BadRequest, Unavailable, ...readErrors]
  }).annotateMerge(OpenApi.annotations({
    identifier: "getConfig",
    summary: "Whether a route is open, and how much it can carry now",
    description: "What a transfer costs is said by POST /price."
  }))
).middleware(InputErrors)
