/**
 * Records deposits for unknown orders, and does nothing else with them. Anybody can make thousands of them in one
 * transaction, and each would have a useless workflow. Transfers are stored before anybody can know their order id. Only
 * a restored store can have forgotten the order of a sweep, whose deposit is refunded (`ReturnDropped`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DepositAddresses } from "../../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { NamedDeposit } from "../../../../ports/store/orders/Deposits.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { UnpaidAddresses } from "../../../../ports/store/operations/UnpaidAddresses.ts"
import { NO_ORDER } from "../../../domain/deposit-address/reindex/NoOrder.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { precedenceOf } from "../../../domain/transfer/deposit/Precedence.ts"
import { countFillings } from "../../operations/Meters.ts"

/** Records the foreign deposits. Returns the others, and how many of the foreign ones were new. */
export const setForeignAside = Effect.fnUntraced(function*(found: ReadonlyArray<Deposit>) {
  if (found.length === 0) return { ours: [], foreign: 0 }
  const transfers = yield* Transfers
  const known = yield* transfers.known(found.map(({ depositId }) => OrderId.make(depositId)))
  const nameless = [
    ...new Set(found.flatMap(({ depositId, transactionId }) => depositId === NO_ORDER ? [transactionId] : []))
  ]
  // The sweep of a dropped deposit address names no order, but its deposit is refunded.
  const swept = nameless.length === 0 ? new Set() : yield* (yield* UnpaidAddresses).sweepsAmong(nameless)
  const unknown = found.filter(({ depositId }) => depositId !== NO_ORDER && !known.has(OrderId.make(depositId)))
  const keys = new Set(
    unknown.length === 0
      ? []
      : (yield* (yield* DepositAddresses).among(unknown.map(({ sender }) => sender))).map(({ address }) => address)
  )
  const isSwept = ({ depositId, sender, transactionId }: Deposit): boolean =>
    depositId === NO_ORDER ? swept.has(transactionId) : keys.has(sender)
  const namedAs = (deposit: Deposit): NamedDeposit | undefined => {
    const terms = known.get(OrderId.make(deposit.depositId))
    if (terms !== undefined) return { deposit, precedence: precedenceOf({ terms }, deposit) }
    return isSwept(deposit) ? { deposit, precedence: 0n } : undefined
  }
  const named = found.map(namedAs)
  const ours = named.filter((each) => each !== undefined)
  const foreign = found.filter((_, index) => named[index] === undefined)
  if (foreign.length === 0) return { ours, foreign: 0 }
  const deposits = yield* Deposits
  const fresh = yield* deposits.noteForeign(foreign, yield* Clock.currentTimeMillis)
  yield* countFillings("foreign", fresh)
  if (fresh > 0) yield* Effect.logInfo(`${fresh} deposits name no request of ours`)
  return { ours, foreign: fresh }
})
