/**
 * Reads nonce mappings from the transfer service over HTTP (EXCHANGEA-4, EXCHANGEA-5). Only decodes the answer; the
 * domain decides whether a mapping is valid.
 *
 * When the service does not answer, the reading has failed. It never counts as "no mapping".
 */
import { Context, Effect, Layer, Redacted, Schema, SchemaTransformation } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Hex32FromString, HexFromString } from "../../../src/domain/encoding/Hex.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { DEADLINE_MS } from "../../quorum/Endpoints.ts"
import { makeHttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { KeyedService } from "../rpc/ExchangeAClient.ts"

export class HubMappings extends Context.Service<HubMappings, {
  /** The stored mapping for this nonce. Undefined when the service says that there is none. */
  readonly find: (
    chain: Chain,
    wallet: Address,
    nonce: bigint
  ) => Effect.Effect<KeptNonceMapping | undefined, ChainUnavailable>
  /** Whether a service is configured. */
  readonly isConfigured: boolean
}>()("causeway/adapters/exchange-a/HubMappings") {}

const Account = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)).pipe(
  Schema.decodeTo(
    Address,
    SchemaTransformation.transform({ decode: (text) => text.toLowerCase(), encode: (text: string) => text })
  )
)
const Whole = Schema.Union([Schema.Int, Schema.BigInt, Schema.String.check(Schema.isPattern(/^\d{1,78}$/))])
const Kept = Schema.Struct({
  walletChainId: Schema.Union([Schema.String, Schema.Int]),
  wallet: Account,
  nonce: Whole,
  id: Hex32FromString,
  signatureChainId: Whole,
  signature: HexFromString.check(Schema.isMaxLength(132)),
  createdAt: Schema.String.check(Schema.isMaxLength(40))
})
const None = Schema.Union([
  Schema.Struct({ code: Schema.Literal("NONCE_MAPPING_NOT_FOUND") }),
  Schema.Struct({ errorCode: Schema.Literal("NONCE_MAPPING_NOT_FOUND") })
])
const isNone = Schema.is(None)
const decodeKept = Schema.decodeUnknownEffect(Kept)

/** Reads from the service at this address. */
export const layer = ({ key, url }: KeyedService) =>
  Layer.effect(
    HubMappings,
    Effect.gen(function*() {
      const { call } = yield* makeHttpJson(url)
      const headers = key === undefined ? {} : { "x-api-key": Redacted.value(key) }
      const find: HubMappings["Service"]["find"] = Effect.fn("HubMappings.find")(function*(chain, wallet, nonce) {
        const failed = (kind: ChainUnavailable["kind"]) =>
          new ChainUnavailable({ chain: chain.slug, operation: "nonce mapping", kind })
        const path = `/queries/nonce-mappings/${encodeURIComponent(chain.slug)}/${wallet}/${nonce}/v1`
        const { said, status } = yield* Effect.mapError(call({ method: "GET", path, headers }, DEADLINE_MS), failed)
        if (isNone(said)) return undefined
        if (status !== 200) return yield* failed("refused")
        const kept = yield* Effect.mapError(decodeKept(said), () => failed("refused"))
        const createdAt = Date.parse(kept.createdAt)
        const isOfChain = kept.walletChainId === chain.slug || String(kept.walletChainId) === String(chain.id)
        if (!isOfChain || Number.isNaN(createdAt)) return yield* failed("refused")
        return {
          chain: chain.slug,
          wallet: kept.wallet,
          depositor: wallet,
          nonce: BigInt(kept.nonce),
          id: kept.id,
          signatureChainId: Number(kept.signatureChainId),
          signature: kept.signature,
          createdAt
        }
      })
      return HubMappings.of({ find, isConfigured: true })
    })
  )

/** In the transfer service, which keeps the mappings itself. */
export const stored = (mappings: NonceMappings["Service"]) =>
  Layer.succeed(HubMappings, {
    find: ({ slug }, wallet, nonce) =>
      Effect.mapError(
        mappings.find(slug, wallet, nonce),
        () => new ChainUnavailable({ chain: slug, operation: "nonce mapping", kind: "unreachable" })
      ),
    isConfigured: true
  })

/** Without the service, nothing that needs a mapping is attested. */
export const none = Layer.succeed(HubMappings, {
  find: ({ slug }) =>
    Effect.fail(new ChainUnavailable({ chain: slug, operation: "nonce mapping", kind: "unreachable" })),
  isConfigured: false
})
