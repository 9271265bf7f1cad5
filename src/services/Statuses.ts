/** What is known of a request, in the words of the status endpoint (spec/3 §6). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { Transfers } from "../../ports/Transfers.ts"
import type { TransferTransaction } from "../../ports/Transfers.ts"
import type { RequestId } from "../domain/transfer/RequestId.ts"
import type { Transfer } from "../domain/transfer/Transfer.ts"

export interface KnownTransfer {
  readonly transfer: Transfer
  readonly transactions: ReadonlyArray<TransferTransaction>
}

export class Statuses extends Context.Service<Statuses, {
  /** Undefined for an id that does not exist. */
  readonly find: (id: RequestId) => Effect.Effect<KnownTransfer | undefined, StoreUnavailable>
}>()("causeway/services/Statuses") {}

export const layer = Layer.effect(
  Statuses,
  Effect.gen(function*() {
    const transfers = yield* Transfers
    const find = Effect.fn("Statuses.find")(function*(id: RequestId) {
      const transfer = yield* transfers.find(id)
      return transfer === undefined ? undefined : { transfer, transactions: yield* transfers.transactions(transfer) }
    })
    return Statuses.of({ find })
  })
)
