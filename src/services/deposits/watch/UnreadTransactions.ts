/**
 * Raises an alarm for transactions that a scan passed over, because this release cannot read them (SOLANA-23): the scan's
 * place is behind them then, so that only an operator can have them read, by `POST /transactions/index`. The log of the
 * chain's adapter names them.
 */
import * as Effect from "effect/Effect"
import type { Scan } from "../../../../ports/chain/DepositWatcher.ts"
import { countStuck } from "../../operations/Meters.ts"

/** Once for each transaction. */
export const tellUnread = ({ unread = [] }: Pick<Scan, "unread">): Effect.Effect<void> =>
  Effect.forEach(unread, () => countStuck("transaction-unread"), { discard: true })
