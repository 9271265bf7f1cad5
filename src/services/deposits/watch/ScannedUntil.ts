/** How far chains have been scanned for deposits. Records are deleted only behind this point. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { DirectPayments } from "../../../../ports/store/orders/DirectPayments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { found, lookUntil, whenMoved } from "../../following/LookUntil.ts"

/**
 * How long the scan of a chain may take to reach the head that was seen. Otherwise the chain is left for the next time.
 */
const SCAN_PATIENCE = Duration.minutes(1)

/**
 * The time of the newest scanned block. Undefined when none is known. It has time: no chain is written with each block
 * for this.
 */
const scannedUntil = Effect.fnUntraced(function*(chain: Chain) {
  const deposits = yield* Deposits
  const directPayments = yield* DirectPayments
  const watcher = yield* DepositWatcher
  const { height, time } = yield* watcher.head(chain)
  const look = Effect.gen(function*() {
    const [seen, sent] = yield* Effect.all([deposits.cursor(chain.id), directPayments.cursor(chain.id)])
    // Direct payments have no cursor while none is awaited.
    const isReached = seen !== undefined && seen.height >= height && (sent === undefined || sent.height >= height)
    return isReached ? found(time) : whenMoved
  })
  return yield* Effect.timeout(lookUntil(chain, () => look, "watches"), SCAN_PATIENCE)
}, Effect.orElseSucceed(() => undefined))

export const scannedTimes = Effect.fnUntraced(function*() {
  const { all } = yield* Chains
  const times = yield* Effect.forEach(
    all,
    (chain) => Effect.map(scannedUntil(chain), (time) => [chain.id, time] as const),
    { concurrency: "unbounded" }
  )
  const known: ReadonlyMap<ChainId, number | undefined> = new Map(times)
  return (chain: ChainId) => known.get(chain)
})
