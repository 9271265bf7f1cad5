/**
 * Looks again at a deposit address because somebody asks (spec/1 §4.1, spec/3 §7 "Reindex"): reads its balances and queues
 * a sweep of each that is worth one. The refusals and their order are `admitReindex`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { AddressBalances } from "../../../ports/AddressBalances.ts"
import { Chains } from "../../../ports/Chains.ts"
import { DepositAddresses } from "../../../ports/DepositAddresses.ts"
import type { KeptAddress } from "../../../ports/DepositAddresses.ts"
import { Gas } from "../../../ports/Gas.ts"
import { Prices } from "../../../ports/Prices.ts"
import type { StoreUnavailable } from "../../../ports/StoreUnavailable.ts"
import { Sweeps } from "../../../ports/Sweeps.ts"
import type { ApiKey } from "../../domain/api-key/ApiKey.ts"
import { addressCodec } from "../../domain/chain/Address.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import { admitReindex, ReindexRefused } from "../../domain/deposit-address/AdmitReindex.ts"
import type { ReindexPlan } from "../../domain/deposit-address/PlanReindex.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { queueSweeps, readBalances } from "./QueueSweeps.ts"

/** What a reindex is asked for, as it came: nothing of it is known to be of a chain yet. */
export interface ReindexRequest {
  readonly chainId: ChainId
  readonly depositAddress: string
  readonly targetChainId?: ChainId | undefined
  readonly currency?: string | undefined
}

/** By itself, or by one of its requests. */
export type AskedAddress = { readonly chainId: ChainId; readonly address: string } | { readonly requestId: RequestId }

export class Reindexing extends Context.Service<Reindexing, {
  /** ReindexRefused with its status: 400, 403, 404, 429, or 503 when nothing could be read. */
  readonly reindex: (request: ReindexRequest, key: ApiKey | undefined) => Effect.Effect<ReindexPlan, ReindexRefused | StoreUnavailable>
  /** The record of an address, or of the address of a request. */
  readonly find: (asked: AskedAddress) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
}>()("causeway/services/Reindexing") {}

const refused = (status: 400 | 503, message: string) => new ReindexRefused({ status, message })

const unavailable = () => refused(503, "the chain, or a price of it, could not be read: try again")

/** Every depositable currency of the chain, or the one that is asked for. */
const currenciesOf = (chain: Chain, asked: string | undefined) => {
  if (asked === undefined) return chain.currencies
  const parsed = addressCodec(chain.family, chain.network).parseCurrency(asked)
  const found = Result.isSuccess(parsed) ? findCurrency(chain, parsed.success) : undefined
  return found === undefined ? undefined : [found]
}

export const layer = Layer.effect(
  Reindexing,
  Effect.gen(function*() {
    const chains = yield* Chains
    const addresses = yield* DepositAddresses
    const ports = Context.mergeAll(
      Context.make(Chains, chains),
      Context.make(DepositAddresses, addresses),
      Context.make(AddressBalances, yield* AddressBalances),
      Context.make(Gas, yield* Gas),
      Context.make(Prices, yield* Prices),
      Context.make(Sweeps, yield* Sweeps)
    )

    const lookUp = Effect.fnUntraced(function*(chainId: ChainId, text: string) {
      const chain = findChain(chains.all, chainId)
      if (chain === undefined) return undefined
      const address = addressCodec(chain.family, chain.network).parse(text)
      return Result.isSuccess(address) ? yield* addresses.find(chainId, address.success) : undefined
    })

    /** 400 for what is no address of its chain, before anything is looked up. */
    const checkAddress = ({ chainId, depositAddress }: ReindexRequest) => {
      const chain = findChain(chains.all, chainId)
      if (chain === undefined) return Result.fail(refused(400, "chainId is not a supported chain"))
      const address = addressCodec(chain.family, chain.network).parse(depositAddress)
      return Result.isFailure(address) ? Result.fail(refused(400, `depositAddress is not an address of ${chain.name}: ${address.failure.reason}`)) : Result.succeed(chain)
    }

    const reindex: Reindexing["Service"]["reindex"] = Effect.fn("Reindexing.reindex")(function*(request, key) {
      const home = yield* Effect.fromResult(checkAddress(request))
      const target = request.targetChainId === undefined ? home : findChain(chains.all, request.targetChainId)
      const currencies = target === undefined ? undefined : currenciesOf(target, request.currency)
      const kept = yield* lookUp(request.chainId, request.depositAddress)
      const lastAt = kept === undefined || target === undefined ? undefined : yield* addresses.reindexedAt(kept.chainId, kept.address, target.id)
      const now = yield* Clock.currentTimeMillis
      yield* Effect.fromResult(admitReindex({
        target: target === undefined ? undefined : { chainId: target.id, family: target.family },
        currency: request.currency === undefined ? "all" : currencies === undefined ? "unknown" : "depositable",
        record: kept === undefined ? undefined : { mode: kept.mode, chainId: kept.chainId, family: home.family, keyId: kept.apiKeyId },
        callerKeyId: key?.id,
        lastAt,
        now
      }))
      // Both are there: it was admitted.
      if (kept === undefined || target === undefined || currencies === undefined) return yield* unavailable()
      if (target.depositAddresses === undefined) return yield* refused(400, `${target.name} has no deposit addresses`)
      if (!(yield* addresses.noteReindex(kept.chainId, kept.address, target.id, lastAt, now))) {
        return yield* new ReindexRefused({ status: 429, message: "this deposit address is being reindexed now", retryAfterSeconds: 60 })
      }
      const undo = addresses.forgetReindex(kept.chainId, kept.address, target.id, lastAt, now)
      return yield* readBalances(kept, target, currencies).pipe(
        Effect.flatMap((balances) => queueSweeps(kept, target, balances)),
        Effect.provide(ports),
        Effect.catchTags({ ChainUnavailable: () => unavailable(), PriceUnavailable: () => unavailable() }),
        // What could read nothing does not start the interval.
        Effect.tapError(() => undo)
      )
    })

    return Reindexing.of({
      reindex,
      find: (asked) => "requestId" in asked ? addresses.findByRequest(asked.requestId) : lookUp(asked.chainId, asked.address)
    })
  })
)
