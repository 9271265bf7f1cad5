/**
 * Waits until no sweep of another currency of the address is under way, where an address pays for its own sweeps
 * (TRON-25). What one was sent for itself would be counted and spent by the other one, which then fails in its block.
 */
import * as Effect from "effect/Effect"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Sweep } from "../../../ports/store/orders/Sweeps.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { Followers } from "../following/Followers.ts"

/** A sweep that waits, as one does that the chain refuses, holds up none. */
const isSigned = Effect.fnUntraced(function*({ id }: Sweep) {
  const payments = yield* Payments
  return (yield* payments.find(OrderId.make(id), "sweep")) !== undefined
})

const isAnyUnderWay = Effect.fnUntraced(function*({ address, chainId, currency }: Sweep) {
  const sweeps = yield* Sweeps
  const others = (yield* sweeps.of(chainId, address)).filter((each) => each.currency !== currency)
  if (others.some(({ unfinal }) => unfinal)) return true
  // Those of all addresses are read only beside another one that is queued at this.
  if (!others.some(({ queued }) => queued)) return false
  for (const each of yield* sweeps.open) {
    const isOther = each.address === address && each.chainId === chainId && each.currency !== currency
    if (isOther && (yield* isSigned(each))) return true
  }
  return false
})

/** Returns at once for a sweep that is signed already. */
export const waitForOtherSweeps = Effect.fnUntraced(function*(chain: Chain, sweep: Sweep) {
  if (chain.family.addressesPayForSweeps !== true || (yield* isSigned(sweep))) return
  const followers = yield* Followers
  while (true) {
    const seen = yield* followers.seen(chain, "waits")
    if (!(yield* isAnyUnderWay(sweep))) return
    yield* followers.moved(chain, seen)
  }
})
