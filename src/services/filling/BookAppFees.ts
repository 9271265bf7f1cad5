/**
 * Books the app fees of a filled deposit for their recipients, once deposit and fill are final, so that nothing has to
 * be reversed. Fees are shares of the deposit, in its currency (REQUEST-28, appFees), as far as the user paid them. The
 * part that a sponsor paid was not deposited; the sponsor owes it (`HoldSponsor`).
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

/** Idempotent: books once per deposit. */
export const bookAppFees = Effect.fnUntraced(function*(transfer: Transfer, deposit: Deposit) {
  const movement = accrueAppFees({
    id: accrualId(transfer.id, deposit.onchainId),
    currency: { chainId: deposit.chainId, address: deposit.currency },
    shares: yield* userPaidAppFees(transfer, deposit)
  })
  // Shares that round to zero are not booked.
  if (Result.isFailure(movement)) return
  const ledger = yield* Ledger
  const posted = ledger.post(movement.success, yield* Clock.currentTimeMillis)
  // The ledger accepts every movement that the domain makes. If it refuses one, the step stays open until an operator
  // has looked.
  yield* Effect.catchTag(posted, "LedgerRefused", (refused) => Effect.die(refused))
})
