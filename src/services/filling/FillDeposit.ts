/** Pays what an order promises for a deposit, and says what that means for the request. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Activity from "effect/workflow/Activity"
import { Transfers } from "../../../ports/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { persistently } from "../Persistently.ts"
import { routeOf } from "./DecideDeposit.ts"
import { guardLeg, payLeg } from "./PayLeg.ts"

const succeed = Effect.fnUntraced(function*(transfer: Transfer) {
  const transfers = yield* Transfers
  yield* transfers.move(transfer.id, { to: "success", at: yield* Clock.currentTimeMillis })
})

/** Undefined when the order is filled, else why the deposit has to go back. `amountOut` in smallest units. */
export const fillDeposit = Effect.fnUntraced(function*(
  chains: ReadonlyArray<Chain>,
  transfer: Transfer,
  deposit: Deposit,
  amountOut: bigint
) {
  const route = routeOf(chains, transfer)
  if (route === undefined) return "UNKNOWN"
  const leg = {
    transfer,
    leg: "fill" as const,
    deposit,
    payment: {
      chain: route.destination,
      currency: route.destinationCurrency,
      recipient: transfer.terms.recipient,
      amount: amountOut,
      orderId: transfer.orderId
    },
    status: "submitted" as const
  }
  const paid = yield* payLeg(leg)
  switch (paid.result) {
    case "claimed":
      return "DOUBLE_SPEND"
    case "refused":
      return paid.reason === "insufficient-funds" ? "SOLVER_CAPACITY_EXCEEDED" : "TRANSACTION_REVERTED"
    case "reverted":
      return "TRANSACTION_REVERTED"
    case "paid": {
      yield* Activity.make({ name: "fill.success", execute: succeed(transfer).pipe(persistently("success")) })
      yield* guardLeg(leg, paid.signed)
      return undefined
    }
  }
})
