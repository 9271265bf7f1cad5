/**
 * What an address that pays for its own sweeps has left of what it was sent for them: it was not paid to the address, and
 * nothing else pays for its next sweep (TRON-26).
 */
import * as Effect from "effect/Effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Reading } from "../../domain/deposit-address/reindex/PlanReindex.ts"
import type { Currency } from "../../domain/money/Currency.ts"

/**
 * `height`: of a balance that was read before: whatever it shows of sweeps was stored by then. Undefined while it is not
 * certain.
 */
const leftBySweeps = Effect.fnUntraced(function*(chain: Chain, address: Address, height: bigint) {
  const balances = yield* AddressBalances
  const sweeps = yield* Sweeps
  return yield* balances.leftBySweeps(chain, yield* sweeps.signed(chain.id, address), height)
})

const unread: Reading = { _tag: "Unread" }

/**
 * What was paid to the address of what it holds. Where it pays for its own sweeps, what it has left of what it was sent
 * for them was not (TRON-26); its balance is unread while that is not certain.
 */
export const paidTo = Effect.fnUntraced(
  function*(chain: Chain, address: Address, { isNative }: Currency, reading: Reading) {
    if (reading._tag === "Unread" || reading.units === 0n) return reading
    if (!isNative || chain.family.addressesPayForSweeps !== true) return reading
    const left = yield* leftBySweeps(chain, address, reading.height)
    if (left === undefined) return unread
    return { ...reading, units: left < reading.units ? reading.units - left : 0n } satisfies Reading
  },
  Effect.catchTag("ChainUnavailable", () => Effect.succeed(unread))
)

/**
 * The sweep as it is to be signed now. While it is not certain what is left, none of it is used, and fails for native
 * currency: it could not be told from what was paid (TRON-29).
 */
export const usingWhatIsLeft = Effect.fnUntraced(function*(payment: SweepPayment) {
  const { chain, sweep } = payment
  if (chain.family.addressesPayForSweeps !== true) return payment
  const balances = yield* AddressBalances
  const [reading] = yield* balances.read(chain, sweep.address, [chain.native])
  const left = reading?._tag === "Read" ? yield* leftBySweeps(chain, sweep.address, reading.height) : undefined
  if (left !== undefined) return { ...payment, sweep: { ...sweep, left } }
  if (sweep.currency !== chain.native.address) return payment
  return yield* new ChainUnavailable({ chain: chain.slug, operation: "what sweeps have left", kind: "behind" })
})
