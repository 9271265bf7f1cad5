/**
 * Reads a deposit as it is recorded. A scan believes one endpoint, so the chain may have something else under the
 * deposit's id: another amount, order or depositor. Then the recorded deposit is not there (QUORUM-11).
 */
import * as Effect from "effect/Effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Standing } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { otherThan } from "../../domain/transfer/deposit/Standing.ts"

/** The quorum shows another deposit under the recorded one's id. */
export interface Misreported {
  readonly _tag: "Misreported"
  readonly shown: Deposit
}

/** SECURITY: that another deposit is there is said by the quorum alone. One endpoint's word may be a lie. */
export const recordedStanding = Effect.fnUntraced(
  function*(chain: Chain, recorded: Deposit, by: ReadBy): Effect.fn.Return<
    Standing | Misreported,
    Effect.Error<ReturnType<DepositWatcher["Service"]["standing"]>>,
    DepositWatcher
  > {
    const watcher = yield* DepositWatcher
    const first = yield* watcher.standing(chain, recorded, by)
    const isDoubted = by === "endpoint" && otherThan(recorded, first) !== undefined
    const standing = isDoubted ? yield* watcher.standing(chain, recorded, "quorum") : first
    const shown = otherThan(recorded, standing)
    return shown === undefined ? standing : { _tag: "Misreported", shown }
  }
)
