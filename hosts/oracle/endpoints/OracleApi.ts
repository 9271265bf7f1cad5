/** The oracle's HTTP API (ORACLE-2), in one definition. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { FamilyName } from "../../../src/domain/chain/VmFamily.ts"
import {
  DepositsAnswer,
  DepositsRequest,
  FillRequest,
  RefundRequest,
  SettlementAnswer
} from "./attestations/AttestationsApi.ts"
import { BodyTooLarge, UnsupportedMediaType } from "../../http/BodyErrors.ts"
import { BadRequest, Defect, Unauthorized, Unavailable } from "./Errors.ts"
import {
  InitiatedAnswer,
  InitiatedRequestBody,
  InitiationAnswer,
  InitiationRequestBody,
  WithdrawalAnswer,
  WithdrawalRequestBody
} from "./withdrawals/WithdrawalsApi.ts"

/** A body that does not decode is a 400 that names the field. */
export class InputErrors
  extends HttpApiMiddleware.Service<InputErrors>()("causeway/oracle/InputErrors", { error: BadRequest })
{}

/**
 * An unknown member is refused by name, so that what is signed never leaves out a part of what was asked. Its sender
 * meant something by it (a misspelled `requestPeerSignatures`, an order of a later version), and peers that know the
 * member would sign something else.
 */
export const knownMembersOnly = { onExcessProperty: "error", errors: "all" } as const

/** A 401, and the refusal of a body, are answered before the handler runs. */
const error = [BadRequest, Unauthorized, BodyTooLarge, UnsupportedMediaType, Unavailable, Defect] as const
const readErrors = [Unauthorized, Defect] as const

const configuration = {
  configuration: Schema.Literals(["confirmed", "unread", "contradicted"])
    .annotate({
      description:
        "whether the chain has confirmed its entry in the configuration; until then, and while it contradicts the entry, nothing is attested on it"
    }),
  /** Entry, configured value and found value, for each one that differs. */
  problems: Schema.Array(Schema.String)
}

const Ready = Schema.Struct({
  status: Schema.Literals(["ready", "not-ready"]),
  signer: Schema.optionalKey(Schema.String).annotate({ description: "the account that signs, when it can sign now" }),
  signerProblem: Schema.optionalKey(Schema.String).annotate({
    description: "why it cannot sign, in place of the account"
  }),
  shadow: Schema.Boolean,
  peers: Schema.Struct({
    /** How many peers have their signatures returned. */
    active: Schema.Int,
    shadows: Schema.Int,
    /** How many addresses ORACLE_SIGNERS names; null when the signature of any signer counts. */
    signers: Schema.NullOr(Schema.Int),
    threshold: Schema.NullOr(Schema.Int),
    warnings: Schema.Array(Schema.String)
  }),
  chains: Schema.Array(Schema.Struct({
    id: Schema.String,
    /** False when this version has no observer for the chain's family: attestations on it are refused. */
    observed: Schema.Boolean,
    needed: Schema.Int,
    endpoints: Schema.Int,
    answering: Schema.Int,
    /** True when a single endpoint, or a minority of them, can decide. */
    weak: Schema.Boolean,
    withdrawals: Schema.Int.annotate({
      description:
        "endpoints that answer calls at their final block; below `needed` no withdrawal of the chain can be attested"
    }),
    companions: Schema.Array(
      Schema.Struct({ name: Schema.Literals(["explorer", "mappings"]), answering: Schema.Boolean })
    )
      .annotate({
        description:
          "services besides the endpoints, where they are configured: without `explorer` no withdrawal of Bitcoin can be attested, without `mappings` nothing on exchange A"
      }),
    ...configuration
  })),
  /** Hubs do not affect the status: only initiations are read from a hub. */
  hubs: Schema.Array(Schema.Struct({
    id: Schema.String,
    needed: Schema.Int,
    endpoints: Schema.Int,
    answering: Schema.Int.annotate({
      description: "endpoints that answer calls at their final block; below `needed` no withdrawal can be initiated"
    }),
    weak: Schema.Boolean,
    ...configuration
  }))
})

const attestations = HttpApiGroup.make("attestations").add(
  HttpApiEndpoint.post("deposits", "/attestations/depository-deposits/v1", {
    payload: DepositsRequest,
    success: Schema.toCodecJson(DepositsAnswer),
    error
  })
    .annotateMerge(
      OpenApi.annotations({ identifier: "attestDeposits", summary: "Attest the deposits of a transaction" })
    ),
  HttpApiEndpoint.post("fills", "/attestations/solver-fills/v1", {
    payload: FillRequest,
    success: Schema.toCodecJson(SettlementAnswer),
    error
  })
    .annotateMerge(OpenApi.annotations({ identifier: "attestFill", summary: "Attest the fill of an order" })),
  HttpApiEndpoint.post("refunds", "/attestations/solver-refunds/v1", {
    payload: RefundRequest,
    success: Schema.toCodecJson(SettlementAnswer),
    error
  })
    .annotateMerge(OpenApi.annotations({ identifier: "attestRefund", summary: "Attest the refund of an order" }))
).middleware(InputErrors).annotate(HttpApi.PayloadParseOptions, knownMembersOnly)

const withdrawals = HttpApiGroup.make("withdrawals").add(
  HttpApiEndpoint.post("withdrawals", "/attestations/depository-withdrawals/v1", {
    payload: WithdrawalRequestBody,
    success: Schema.toCodecJson(WithdrawalAnswer),
    error
  })
    .annotateMerge(
      OpenApi.annotations({ identifier: "attestWithdrawal", summary: "Attest the state of a withdrawal" })
    ),
  HttpApiEndpoint.post("initiation", "/attestations/withdrawal-initiation/v1", {
    payload: InitiationRequestBody,
    success: Schema.toCodecJson(InitiationAnswer),
    error
  })
    .annotateMerge(
      OpenApi.annotations({ identifier: "attestInitiation", summary: "Attest that its owner starts a withdrawal" })
    ),
  HttpApiEndpoint.post("initiated", "/attestations/withdrawal-initiated/v1", {
    payload: InitiatedRequestBody,
    success: Schema.toCodecJson(InitiatedAnswer),
    error
  })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "attestInitiated",
        summary: "Attest that the hub holds what a withdrawal takes out"
      })
    )
).middleware(InputErrors).annotate(HttpApi.PayloadParseOptions, knownMembersOnly)

const service = HttpApiGroup.make("service").add(
  HttpApiEndpoint.get("lives", "/lives/v1", { success: Schema.Struct({ status: Schema.Literal("ok") }) })
    .annotateMerge(OpenApi.annotations({ identifier: "getLives", summary: "Health check; needs no key" })),
  HttpApiEndpoint.get("chains", "/chains/v1", {
    success: Schema.Struct({
      chains: Schema.Array(Schema.Struct({ id: Schema.String, vmType: FamilyName, depository: Schema.String }))
    }),
    error: readErrors
  }).annotateMerge(OpenApi.annotations({ identifier: "getChains", summary: "The chains that are loaded" })),
  HttpApiEndpoint.get("ready", "/ready/v1", { success: Ready, error: readErrors })
    .annotateMerge(
      OpenApi.annotations({
        identifier: "getReady",
        summary: "The signer, and the state of every chain's quorum"
      })
    )
)

/** All routes of the oracle, with their bodies, answers and errors. The OpenAPI document is made from it. */
export const OracleApi = HttpApi.make("causeway-oracle").add(attestations).add(withdrawals).add(service).annotateMerge(
  OpenApi.annotations({
    title: "Causeway attestation oracle",
    version: "1.0.0",
    description:
      "Attests deposits, fills, refunds and withdrawals read under a quorum of endpoints. With API_KEYS set, everything but /, /lives/v1, /openapi.json and /documentation needs the header x-api-key (401 without)."
  })
)
