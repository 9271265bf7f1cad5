/**
 * What an address that pays for its own sweeps has left of what it was sent for them: it was not paid to the address, and
 * nothing else pays for its next sweep (TRON-26).
 */
import * as Effect from "effect/Effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"

/**
 * `height`: of a balance that was read before: whatever it shows of sweeps was stored by then. Undefined while it is not
 * certain.
 */
export const leftBySweeps = Effect.fnUntraced(function*(chain: Chain, address: Address, height: bigint) {
  const balances = yield* AddressBalances
  const sweeps = yield* Sweeps
  return yield* balances.leftBySweeps(chain, yield* sweeps.signed(chain.id, address), height)
})

/** The sweep as it is to be signed now. While it is not certain what is left, none of it is used. */
export const usingWhatIsLeft = Effect.fnUntraced(function*(payment: SweepPayment) {
  const { chain, sweep } = payment
  if (chain.family.addressesPayForSweeps !== true) return payment
  const balances = yield* AddressBalances
  const [reading] = yield* balances.read(chain, sweep.address, [chain.native])
  const left = reading?._tag === "Read" ? yield* leftBySweeps(chain, sweep.address, reading.height) : undefined
  return left === undefined ? payment : { ...payment, sweep: { ...sweep, left } }
})
