/**
 * Indexes one transaction on request (STATUS-7): its deposits are recorded exactly as a scan would record them, and the
 * worker starts their fillings. The cursor does not move, so a later scan sees them again, which is idempotent.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Chains } from "../../../../ports/chain/Chains.ts"
import type { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { DirectPayments } from "../../../../ports/store/orders/DirectPayments.ts"
import { DirectPaymentWatcher } from "../../../../ports/chain/DirectPaymentWatcher.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { servedChain } from "../../../domain/chain/ChainNotServed.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { parseTransactionId } from "../../../domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../domain/chain/TransactionId.ts"
import { can } from "../../../domain/families/FamilyRules.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { setForeignAside } from "../watch/ForeignDeposits.ts"
import { directPaymentOf } from "../../quoting/WatchingDirectPayments.ts"
import { countDeposits } from "../../operations/Meters.ts"

/** The request names no transaction of a served chain. */
export class IndexRefused
  extends Data.TaggedError("IndexRefused")<{ readonly field: string; readonly message: string }>
{}

/** What was found in the transaction (STATUS-7). */
export type IndexOutcome =
  /** No block of the chain has such a transaction now. */
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Found"; readonly deposits: number }
  /** It carries out a direct payment. */
  | { readonly _tag: "Paid" }

export class Indexing extends Context.Service<Indexing, {
  readonly look: (
    chainId: ChainId,
    transaction: string
  ) => Effect.Effect<IndexOutcome, IndexRefused | ChainUnavailable | StoreUnavailable>
}>()("causeway/services/Indexing") {}

export const layer = Layer.effect(
  Indexing,
  Effect.gen(function*() {
    const addresses = yield* DepositAddresses
    const chains = yield* Chains
    const watcher = yield* DepositWatcher
    const deposits = yield* Deposits
    const directPayments = yield* DirectPayments
    const sendWatcher = yield* DirectPaymentWatcher
    const transfers = yield* Transfers
    const unpaid = yield* UnpaidAddresses

    const setAside = (found: ReadonlyArray<Deposit>) =>
      setForeignAside(found).pipe(
        Effect.provideService(DepositAddresses, addresses),
        Effect.provideService(Deposits, deposits),
        Effect.provideService(Transfers, transfers),
        Effect.provideService(UnpaidAddresses, unpaid)
      )

    /**
     * Records a completed direct payment as a scan would; its chain is watched until the payment is settled. True when
     * it is one.
     */
    const noteSend = Effect.fnUntraced(function*(chain: Chain, id: TransactionId) {
      if (!can(chain.family, "sends")) return false
      const standing = yield* sendWatcher.look(chain, id)
      const transfer = standing === undefined
        ? undefined
        : yield* Effect.provideService(directPaymentOf(standing.payment), Transfers, transfers)
      if (standing === undefined || transfer === undefined) return false
      yield* directPayments.note(standing.payment)
      if (chain.family.scansSends !== false) yield* directPayments.anchor(chain.id, yield* watcher.head(chain))
      return true
    })

    const look: Indexing["Service"]["look"] = Effect.fn("Indexing.look")(function*(chainId, text) {
      const chain = yield* Effect.fromResult(servedChain(chains.all, chainId)).pipe(
        Effect.mapError(({ message }) => new IndexRefused({ field: "chainId", message }))
      )
      const id = parseTransactionId(chain.family, text)
      if (Result.isFailure(id)) {
        return yield* new IndexRefused({
          field: "txHash",
          message: `no transaction id of ${chain.name}: ${id.failure.reason}`
        })
      }
      const found = yield* watcher.look(chain, id.success)
      if (found === undefined) return { _tag: "Unknown" }
      const isPayment = yield* noteSend(chain, id.success)
      const { foreign, ours } = yield* setAside(found)
      const fresh = yield* deposits.note(ours, yield* Clock.currentTimeMillis)
      yield* countDeposits(chain.slug, fresh.length + foreign)
      return isPayment ? { _tag: "Paid" } : { _tag: "Found", deposits: found.length }
    })

    return Indexing.of({ look })
  })
)
