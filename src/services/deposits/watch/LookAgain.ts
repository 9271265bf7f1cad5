/**
 * Looks at final blocks again, by several endpoints, one of which tells the truth (QUORUM-7). A scan believes one
 * endpoint, and its cursor passes what that one hides.
 *
 * The blocks between two looks are one range, so the cost grows with time, not with blocks. Nothing waits for this:
 * deposits that scans see are filled long before.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { FinalScan } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Sighting } from "../../../../ports/store/orders/Deposits.ts"
import { FinalBlocks } from "../../../../ports/store/operations/FinalBlocks.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { seemsHalted } from "../halt/Halting.ts"
import { countDeposits, countStuck } from "../../operations/Meters.ts"
import { poll } from "../../polling/Poll.ts"
import { setForeignAside } from "./ForeignDeposits.ts"
import { tellUnread } from "./UnreadTransactions.ts"

const EVERY = Duration.seconds(15)

/** When the scan is behind, or a look has ended before the last final block. */
const SOON = Duration.seconds(1)

/** At most so many transactions are named in the log. */
const NAMED = 10

/**
 * The hosts that do not show one of these deposits, although the quorum does. Only then do they hide it: what a single
 * host shows may be invented. Host names, because an endpoint's URL may contain a key.
 */
const hidingHosts = Effect.fnUntraced(
  function*(chain: Chain, hidden: ReadonlyArray<Deposit>, notShownBy: FinalScan["notShownBy"]) {
    const watcher = yield* DepositWatcher
    const hosts = yield* Effect.forEach(hidden, (deposit) => {
      const suspects = notShownBy?.get(deposit.onchainId) ?? []
      return suspects.length === 0 ? Effect.succeed([]) : watcher.standing(chain, deposit, "quorum").pipe(
        Effect.map((standing) => standing._tag === "Included" ? suspects : []),
        // The deposits are recorded. An alarm without names is better than none.
        Effect.orElseSucceed(() => [])
      )
    })
    return [...new Set(hosts.flat())]
  }
)

/**
 * Raises the alarm when deposits are new that the scan has passed, and names the hosts that hide them. `foreign` counts
 * those for no request of ours.
 */
export const tellHidden = Effect.fnUntraced(
  function*(chain: Chain, { notShownBy }: FinalScan, fresh: ReadonlyArray<Sighting>, foreign: number) {
    const hidden = fresh.length + foreign
    yield* countDeposits(chain.slug, hidden)
    if (hidden === 0) return
    yield* countStuck("deposit-hidden")
    const named = fresh.slice(0, NAMED).map(({ deposit }) => deposit)
    const hosts = yield* hidingHosts(chain, named, notShownBy)
    const by = hosts.length === 0 ? "an endpoint did not show them to the scan" : `${hosts.join(", ")} hides them`
    yield* Effect.logError(
      `${hidden} deposits in blocks of ${chain.slug} are found only now: ${by} (${foreign} for no request of ours${
        ["", ...named.map(({ transactionId }) => transactionId)].join(", ")
      })`
    )
  }
)

/** Looks at the final blocks that the scan has passed. Returns when the next look is due. */
export const lookAgain = Effect.fnUntraced(function*(chain: Chain) {
  const deposits = yield* Deposits
  const finals = yield* FinalBlocks
  const watcher = yield* DepositWatcher
  const final = yield* finals.find(chain.id)
  // A final block that was replaced is on no endpoint.
  if (final === undefined || (yield* seemsHalted([chain.id]))) return EVERY
  const from = yield* deposits.finalCursor(chain.id)
  if (from === undefined || final.height < from.height || final.hash === from.hash) return EVERY
  // Not ahead of the scan: what it has not read yet is not hidden.
  const scanned = yield* deposits.cursor(chain.id)
  if (scanned === undefined || scanned.height < final.height) return SOON
  const found = yield* watcher.scanFinal(chain, from, final)
  yield* tellUnread(found)
  const { foreign, ours } = yield* setForeignAside(found.deposits)
  const fresh = yield* deposits.recordFinal(chain.id, found.cursor, ours, yield* Clock.currentTimeMillis)
  yield* tellHidden(chain, found, fresh, foreign)
  return found.cursor.height < final.height ? SOON : EVERY
})

/** Looks again for as long as it runs. What it records is picked up by the notice of its rows. */
export const keepLookingAgain = (chain: Chain) =>
  lookAgain(chain).pipe(poll(`final blocks of ${chain.slug}`, (next) => next))
