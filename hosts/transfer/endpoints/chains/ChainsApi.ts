/** GET /chains and GET /currencies (ROW-1, ROW-2): definition only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { families } from "../../../../src/domain/families/index.ts"
import { WireCurrency } from "../../../../src/domain/quote/wire/WireAmount.ts"
import { readErrors } from "../CommonErrors.ts"
import { BadRequest, Unavailable } from "../quote/QuoteErrors.ts"
import { InputErrors } from "../status/StatusApi.ts"

const NativeRow = Schema.Struct({
  id: Schema.String,
  symbol: Schema.String,
  name: Schema.String,
  address: Schema.String,
  decimals: Schema.Int,
  supportsBridging: Schema.Boolean
})

const TokenRow = Schema.Struct({ ...NativeRow.fields, supportsPermit: Schema.Boolean })

const SolverCurrencyRow = Schema.Struct({
  symbol: Schema.String,
  name: Schema.String,
  address: Schema.String,
  decimals: Schema.Int
})

/** One of these, or the name that an additional family chose. */
export const VmType = Schema.Union([
  Schema.Literals(Object.values(families).map(({ apiName }) => apiName)),
  Schema.String
])

export const ChainRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  displayName: Schema.String,
  vmType: VmType,
  slug: Schema.String,
  httpRpcUrl: Schema.NullOr(
    Schema.String.annotate({
      description:
        "an endpoint that anybody may use, for wallets; null when none is configured. Never the service's own"
    })
  ),
  explorerUrl: Schema.NullOr(Schema.String),
  depositEnabled: Schema.Boolean,
  disabled: Schema.Boolean,
  currency: NativeRow,
  erc20Currencies: Schema.Array(TokenRow),
  solverCurrencies: Schema.Array(SolverCurrencyRow),
  solverAddresses: Schema.Array(Schema.String),
  protocol: Schema.Struct({
    v2: Schema.Struct({
      chainId: Schema.String,
      depository: Schema.String,
      permits: Schema.optionalKey(
        Schema.Struct({
          forwarder: Schema.String.annotate({ description: "the contract that deposits what users sign for" }),
          permit2: Schema.optionalKey(Schema.String)
        }).annotate({ description: "absent where the chain takes no permits" })
      ),
      swaps: Schema.optionalKey(
        Schema.Struct({
          depositor: Schema.String.annotate({
            description: "the contract or program that swaps what its sender has and deposits what comes out"
          })
        }).annotate({ description: "absent where nothing is swapped before a deposit" })
      ),
      depositAddresses: Schema.optionalKey(
        Schema.Union([
          Schema.Struct({
            factory: Schema.String.annotate({
              description: "the contract that its deposit addresses follow from; the same on every EVM chain"
            })
          }),
          Schema.Struct({
            keys: Schema.Literal("derived").annotate({
              description: "its deposit addresses are keys that the service derives: nobody else can compute them"
            })
          })
        ]).annotate({ description: "absent where the chain has none" })
      )
    })
  })
})
export type ChainRow = typeof ChainRow.Type

export const ChainsAnswer = Schema.Struct({
  chains: Schema.Array(ChainRow),
  settlement: Schema.Struct({ chainId: Schema.Int, token: Schema.String, solver: Schema.String })
})

const ChainIdText = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,15}$/u, { expected: "the number of a chain" }))
  .annotate({
    description: "a chain id; every chain when left out"
  })

const errors = [BadRequest, Unavailable, ...readErrors] as const

export const ChainsApi = HttpApiGroup.make("chains").add(
  HttpApiEndpoint.get("chains", "/chains", { success: ChainsAnswer, error: errors })
    .annotateMerge(
      OpenApi.annotations({ identifier: "getChains", summary: "The chains and currencies that are served" })
    ),
  HttpApiEndpoint.get("currencies", "/currencies", {
    query: { chainId: Schema.optionalKey(ChainIdText) },
    success: Schema.Array(WireCurrency),
    error: errors
  }).annotateMerge(OpenApi.annotations({ identifier: "getCurrencies", summary: "The currencies of a chain" })),
  HttpApiEndpoint.get("swapSources", "/swap-sources", {
    query: { chainId: Schema.optionalKey(ChainIdText) },
    success: Schema.Struct({ sources: Schema.Array(Schema.String) }),
    error: errors
  }).annotateMerge(
    OpenApi.annotations({
      identifier: "getSwapSources",
      summary: "The swap sources of a chain, by the names that a request's filters take"
    })
  )
).middleware(InputErrors)
