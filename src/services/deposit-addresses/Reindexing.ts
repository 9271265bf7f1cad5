/**
 * Checks a deposit address on request (REINDEX-1, REINDEX-3): reads its balances and queues a sweep of each that is
 * worth one. `AdmitReindex` defines the refusals and their order.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import { admitReindex, checkReindex, ReindexRefused } from "../../domain/deposit-address/reindex/AdmitReindex.ts"
import type { ReindexCaller } from "../../domain/deposit-address/reindex/AdmitReindex.ts"
import type { ReindexPlan } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { queueSweeps, readBalances } from "./QueueSweeps.ts"

/** A reindex request as received: its parts are not checked yet. */
export interface ReindexRequest {
  readonly chainId: ChainId
  readonly depositAddress: string
  readonly targetChainId?: ChainId | undefined
  readonly currency?: string | undefined
}

/** By the address, or by one of its requests. */
export type AskedAddress = { readonly chainId: ChainId; readonly address: string } | { readonly requestId: RequestId }

export class Reindexing extends Context.Service<Reindexing, {
  /** ReindexRefused with its status: 400, 403, 404, 429, or 503 when nothing could be read. */
  readonly reindex: (
    request: ReindexRequest,
    caller: ReindexCaller
  ) => Effect.Effect<ReindexPlan, ReindexRefused | StoreUnavailable>
  /** The record of an address, or of the address of a request. */
  readonly find: (asked: AskedAddress) => Effect.Effect<KeptAddress | undefined, StoreUnavailable>
}>()("causeway/services/Reindexing") {}

const refused = (status: 400 | 503, message: string) => new ReindexRefused({ status, message })

const unavailable = () => refused(503, "the chain could not be read: try again")

const beingReindexed = () =>
  new ReindexRefused({ status: 429, message: "this deposit address is being reindexed now", retryAfterSeconds: 60 })

/** Every depositable currency of the chain, or the requested one. */
const currenciesOf = (chain: Chain, asked: string | undefined) => {
  if (asked === undefined) return chain.currencies
  const parsed = chain.family.addresses(chain.network).parseCurrency(asked)
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
      const address = chain.family.addresses(chain.network).parse(text)
      return Result.isSuccess(address) ? yield* addresses.find(chainId, address.success) : undefined
    })

    /** 400 for a text that is no address of its chain, before anything is looked up. */
    const checkAddress = ({ chainId, depositAddress }: ReindexRequest) => {
      const chain = findChain(chains.all, chainId)
      if (chain === undefined) return Result.fail(refused(400, "chainId is not a supported chain"))
      const address = chain.family.addresses(chain.network).parse(depositAddress)
      return Result.isFailure(address)
        ? Result.fail(refused(400, `depositAddress is not an address of ${chain.name}: ${address.failure.reason}`))
        : Result.succeed({ home: chain, address: address.success })
    }

    const sweep = (kept: KeptAddress, target: Chain, currencies: ReadonlyArray<Currency>) =>
      readBalances(kept, target, currencies).pipe(
        Effect.flatMap((balances) => queueSweeps(kept, target, balances)),
        Effect.provide(ports),
        Effect.catchTag("ChainUnavailable", unavailable)
      )

    const reindex: Reindexing["Service"]["reindex"] = Effect.fn("Reindexing.reindex")(function*(request, caller) {
      const { address, home } = yield* Effect.fromResult(checkAddress(request))
      const asked = request.targetChainId === undefined ? home : findChain(chains.all, request.targetChainId)
      const { currencies, target } = yield* Effect.fromResult(
        checkReindex({
          home,
          target: asked,
          currencies: asked === undefined ? undefined : currenciesOf(asked, request.currency)
        })
      )
      const record = yield* addresses.find(home.id, address)
      const lastAt = record === undefined ? undefined : yield* addresses.reindexedAt(home.id, address, target.id)
      const now = yield* Clock.currentTimeMillis
      const kept = yield* Effect.fromResult(admitReindex({ targetChainId: target.id, record, caller, lastAt, now }))
      // A reindex that did not complete, because nothing could be read or its caller has gone, does not start the
      // interval.
      return yield* Effect.acquireUseRelease(
        addresses.noteReindex(home.id, address, target.id, lastAt, now),
        (isNoted) => isNoted ? sweep(kept, target, currencies) : beingReindexed(),
        (isNoted, exit) =>
          isNoted && Exit.isFailure(exit)
            ? addresses.forgetReindex(home.id, address, target.id, lastAt, now)
            : Effect.void
      )
    })

    return Reindexing.of({
      reindex,
      find: (asked) =>
        "requestId" in asked ? addresses.findByRequest(asked.requestId) : lookUp(asked.chainId, asked.address)
    })
  })
)
