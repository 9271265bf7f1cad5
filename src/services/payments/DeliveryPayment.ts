/** The payment of a route's output on its destination: the fill, or the fallback in its place. */
import type { FallbackPayment, FillCalls, FillPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { RouterCall } from "../../domain/order/RouterCall.ts"
import type { FillSwap } from "../../domain/swap/FillSwap.ts"
import type { Authorization } from "../../domain/quote/request/RequestLists.ts"

/** The parts of a route that determine how its output is paid. */
interface Delivering {
  readonly destination: Chain
  readonly destinationCurrency: Currency
  readonly recipient: Address
  readonly calls: ReadonlyArray<RouterCall>
  readonly callsGas: bigint | undefined
  readonly leftover?: CurrencyAddress | undefined
  readonly swap?: FillSwap | undefined
  readonly isFallback?: boolean | undefined
  readonly authorizations?: ReadonlyArray<Authorization> | undefined
}

const callsOf = ({ calls: [first, ...others], callsGas: gas, leftover }: Delivering): FillCalls | undefined =>
  first === undefined ? undefined : { list: [first, ...others], gas, leftover }

/** Smallest units: `amount` of the destination currency, `topup` of the native one. */
export const deliveryPayment = (
  route: Delivering,
  paid: { readonly orderId: OrderId; readonly amount: bigint; readonly topup: bigint }
): FallbackPayment | FillPayment => {
  const { authorizations = [], destination: chain, destinationCurrency: currency, recipient } = route
  const delivery = { ...paid, chain, currency, recipient, authorizations }
  return route.isFallback === true
    ? { ...delivery, _tag: "Fallback" }
    : { ...delivery, _tag: "Fill", calls: callsOf(route), swap: route.swap }
}

/** The same route when its swap cannot be made: the recipient gets the unswapped amount. */
export const unswapped = <A extends Delivering>(route: A): A => ({
  ...route,
  calls: [],
  callsGas: undefined,
  leftover: undefined,
  swap: undefined,
  isFallback: true
})
