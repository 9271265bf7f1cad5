/**
 * Waits until the scan of a chain has reached a height. The follower that wakes the scan wakes this wait, too, and once
 * more a poll interval later, when the scan has ended.
 */
import * as Effect from "effect/Effect"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { found, lookUntil, whenMoved } from "../../following/LookUntil.ts"

export const untilScanned = (chain: Chain, height: bigint) =>
  lookUntil(
    chain,
    Effect.fnUntraced(function*() {
      const deposits = yield* Deposits
      const cursor = yield* deposits.cursor(chain.id)
      return cursor !== undefined && cursor.height >= height ? found(undefined) : whenMoved
    })
  )
