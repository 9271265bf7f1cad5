/** Alerts operators when a stranger has swept a deposit address of a former factory. */
import * as Effect from "effect/Effect"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { mayBeForeignSweep } from "../../../domain/deposit-address/ForeignSweep.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { countStuck } from "../../operations/Meters.ts"

/** Once for each sighting of a deposit. Our own sweeps are stored before they are on a chain. */
export const tellForeignSweep = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer, deposit: Deposit) {
  if (!mayBeForeignSweep(chain, transfer, deposit)) return
  const payments = yield* Payments
  if (yield* payments.signed(deposit.transactionId)) return
  yield* countStuck("foreign-sweep")
  yield* Effect.logError(
    `somebody else has swept the deposit address ${
      transfer.terms.depositAddress?.address ?? ""
    } of a former factory on ${chain.slug}, in ${deposit.transactionId}: the deposit is judged by itself`
  )
})
