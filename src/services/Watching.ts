/**
 * Sees deposits and starts what becomes of them: one loop a chain from a stored cursor, and a sweep of what is open.
 *
 * A deposit is stored together with the cursor that passed it, then its filling is started; a crash in between is made
 * good by the sweep, because starting a filling twice is starting it once.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../ports/Chains.ts"
import { DepositWatcher } from "../../ports/DepositWatcher.ts"
import { Deposits } from "../../ports/Deposits.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import type { Deposit } from "../domain/transfer/Deposit.ts"
import { FillingWorkflow } from "./filling/FillingWorkflow.ts"
import { countDeposits, noteHeight } from "./Meters.ts"
import { anchorChain } from "./AnchorChain.ts"
import { persistently } from "./Persistently.ts"
import { pollInterval } from "./PollInterval.ts"

const start = (deposit: Deposit) =>
  FillingWorkflow.execute({ onchainId: deposit.onchainId, blockHash: deposit.block.hash }, { discard: true })

const look = Effect.fnUntraced(function*(chain: Chain) {
  const watcher = yield* DepositWatcher
  const deposits = yield* Deposits
  const cursor = yield* deposits.cursor(chain.id)
  if (cursor === undefined) return yield* anchorChain(chain)
  const scan = yield* watcher.scan(chain, cursor)
  if (scan.cursor.height === cursor.height && scan.cursor.hash === cursor.hash) return
  const fresh = yield* deposits.record(chain.id, scan.cursor, scan.deposits, yield* Clock.currentTimeMillis)
  yield* noteHeight(chain.slug, scan.cursor.height)
  yield* countDeposits(chain.slug, fresh.length)
  yield* Effect.forEach(fresh, start, { discard: true })
})

const watch = (chain: Chain) =>
  look(chain).pipe(
    persistently(`watching ${chain.slug}`),
    Effect.andThen(Effect.sleep(pollInterval(chain))),
    Effect.forever
  )

/** Starts again whatever is open: after a restart at once, and now and then for what no scan started. */
const sweep = Effect.gen(function*() {
  const deposits = yield* Deposits
  const open = yield* deposits.open
  yield* Effect.forEach(open, start, { discard: true })
}).pipe(persistently("sweep of open deposits"))

const SWEEP_EVERY = Duration.seconds(30)

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  yield* sweep.pipe(Effect.andThen(Effect.sleep(SWEEP_EVERY)), Effect.forever, Effect.forkScoped)
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(watch(chain)), { discard: true })
}))
