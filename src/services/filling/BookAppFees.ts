/**
 * App fees of a filled deposit, booked for their recipients once deposit and fill are final: nothing has to be taken
 * back. They are shares of what was deposited, in its currency (REQUEST-28, appFees), as far as the user paid them:
 * what a sponsor took over was not deposited, and is promised instead (`HoldSponsor`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { accrualId } from "../../domain/ledger/LedgerIds.ts"
import { accrueAppFees } from "../../domain/ledger/Movements.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { userPaidAppFees } from "./HoldSponsor.ts"

/** Happens once for a deposit, however often it is asked for. */
export const bookAppFees = Effect.fnUntraced(function*(transfer: Transfer, deposit: Deposit) {
  const movement = accrueAppFees({
    id: accrualId(transfer.id, deposit.onchainId),
    currency: { chainId: deposit.chainId, address: deposit.currency },
    shares: yield* userPaidAppFees(transfer, deposit)
  })
  // Shares that round to nothing are nothing to book.
  if (Result.isFailure(movement)) return
  const ledger = yield* Ledger
  const posted = ledger.post(movement.success, yield* Clock.currentTimeMillis)
  // What the domain made the ledger takes; if it does not, the step stays open until somebody has looked.
  yield* Effect.catchTag(posted, "LedgerRefused", (refused) => Effect.die(refused))
})
