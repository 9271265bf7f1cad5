/**
 * Waits while a chain or currency of a route is out of service, because the chain contradicts its configuration or
 * could not be compared with it since the start. As on a halted chain, the deposit waits; when its order can no longer
 * be filled in time, it is refunded. SECURITY: the amounts and contracts of a contradicted configuration are wrong, so
 * nothing is priced or paid by them.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Used } from "../../domain/configuration/Compare.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"

const AGAIN = Duration.seconds(5)

/** The chains and currencies that a transfer on the route uses. */
export const usedOn = (
  { destination, destinationCurrency, origin, originCurrency, paid, received }: Route
): ReadonlyArray<Used> => [
  { chainId: origin.id, currencies: [originCurrency.address, ...(paid === undefined ? [] : [paid.address])] },
  {
    chainId: destination.id,
    currencies: [destinationCurrency.address, ...(received === undefined ? [] : [received.address])]
  }
]

/** True while the chains and currencies of the route are in service. Known in memory. */
export const isServing = Effect.fnUntraced(function*(route: Route) {
  const checked = yield* CheckedConfiguration
  return yield* Effect.match(checked.assertServing(usedOn(route)), {
    onSuccess: () => true,
    onFailure: () => false
  })
})

/** False when the route is still out of service at `notAfter`, in seconds. */
export const waitUntilServing = Effect.fnUntraced(
  function*(route: Route, transfer: Pick<Transfer, "id">, notAfter: number) {
    const transfers = yield* Transfers
    while (!(yield* isServing(route))) {
      const at = yield* Clock.currentTimeMillis
      if (at > notAfter * 1000) return false
      yield* transfers.move(transfer.id, { to: "delayed", at })
      yield* Effect.sleep(AGAIN)
    }
    return true
  }
)
