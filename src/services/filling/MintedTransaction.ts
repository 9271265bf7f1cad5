/**
 * Whether the deposits of a transaction can be minted on the hub: as stored at confirmation, or read now when an
 * earlier version stored nothing.
 */
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isMintable } from "../../domain/hub/settling/Mintable.ts"
import type { Claimant } from "./HoldSponsor.ts"

/** A sighting of a confirmed deposit. */
export interface ConfirmedClaimant extends Claimant {
  /** The stored answer. Undefined in results of earlier versions. */
  readonly mintable: boolean | undefined
}

/** `chain`: the deposit's. Fails while the chain does not show the transaction. */
export const canBeMinted = Effect.fnUntraced(
  function*(chain: Chain, { deposit: { transactionId }, mintable }: ConfirmedClaimant) {
    if (mintable !== undefined) return mintable
    const watcher = yield* DepositWatcher
    const deposits = yield* Effect.provideService(watcher.look(chain, transactionId), Due, true)
    if (deposits === undefined) {
      return yield* new ChainUnavailable({ chain: chain.slug, operation: "deposits of a transaction", kind: "behind" })
    }
    return isMintable(chain, deposits)
  }
)
