/**
 * Whether what a deposit's transaction deposited can be minted on the hub: what was stored when it was confirmed, and
 * read now of a deposit that a version confirmed which stored nothing of it.
 */
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isMintable } from "../../domain/hub/settling/Mintable.ts"
import type { Claimant } from "./HoldSponsor.ts"

/** A sighting of a deposit that was confirmed. */
export interface ConfirmedClaimant extends Claimant {
  /** What was stored of its mint with the confirmation; undefined in what earlier versions stored. */
  readonly mintable: boolean | undefined
}

/** `chain`: the deposit's. Fails while it does not show the transaction. */
export const canBeMinted = Effect.fnUntraced(
  function*(chain: Chain, { deposit: { transactionId }, mintable }: ConfirmedClaimant) {
    if (mintable !== undefined) return mintable
    const watcher = yield* DepositWatcher
    const deposits = yield* watcher.look(chain, transactionId)
    if (deposits === undefined) {
      return yield* new ChainUnavailable({ chain: chain.slug, operation: "deposits of a transaction", kind: "behind" })
    }
    return isMintable(chain, deposits)
  }
)
