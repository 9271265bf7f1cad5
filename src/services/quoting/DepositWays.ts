/** How and where the deposit of a quote is made. */
import * as Effect from "effect/Effect"
import { AddressesExhausted, DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import type { DepositWay } from "../../../ports/chain/StepBuilder.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { computeDepositAddress } from "../../domain/deposit-address/DepositAddress.ts"
import { isKeyFamily } from "../../domain/deposit-address/HardenedKeys.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { PermitTerms } from "../../domain/permit/Permit.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import type { SwapBefore } from "./swapping/OriginSwapping.ts"
import type { PricedRoute } from "./PricedRoute.ts"

const swapDepositOf = ({ call, depositor, gas, minimum, output }: SwapBefore): DepositWay =>
  call._tag === "Instructions"
    ? { _tag: "RouteDeposit", depositor, route: call, output, minimum }
    : { _tag: "SwapDeposit", depositor, call, gas, output, minimum }

/** How the user makes the deposit. `at`: a deposit address that already exists. */
export const wayOf = (
  request: ResolvedRequest,
  at: KeptAddress | undefined,
  permit: PermitTerms | undefined,
  route: PricedRoute
): DepositWay => {
  if (route._tag === "Send") return { _tag: "Send", recipient: request.recipient }
  if (route._tag === "UserSwap") {
    const { call, gas } = route.swap
    return call._tag === "Instructions" ? { _tag: "Route", route: call } : { _tag: "Swap", call, gas }
  }
  if (route.before !== undefined) return swapDepositOf(route.before)
  if (permit !== undefined) return { _tag: "Permit", terms: permit }
  if (request.depositAddress !== undefined) return { _tag: "Address", ...request.depositAddress, address: at?.address }
  return { _tag: request.explicitDeposit ? "Depository" : "Transfer" }
}

/**
 * Where the order's deposits arrive. Undefined when the user names the order in its own transaction. `at`: an address
 * that already exists.
 */
export const addressFor = Effect.fnUntracedEager(
  function*({ depositAddress: asked, origin }: ResolvedRequest, id: OrderId, at: KeptAddress | undefined) {
    if (asked === undefined || at !== undefined) return at?.address
    const { depositor, factory } = asked
    return factory === undefined
      ? yield* claimAddress(origin, id)
      : yield* Effect.orDie(Effect.fromResult(computeDepositAddress({ depositor, factory, orderId: id })))
  }
)

/**
 * Takes an address from the stock for this order and no other. If the quote fails afterwards, the address is lost, and
 * nobody has seen it.
 */
const claimAddress = Effect.fnUntraced(function*({ family, slug }: Chain, id: OrderId) {
  const keys = yield* DepositKeys
  const claimed = isKeyFamily(family) ? yield* keys.claim(family, id) : undefined
  return claimed ?? (yield* new AddressesExhausted({ chain: slug }))
})
