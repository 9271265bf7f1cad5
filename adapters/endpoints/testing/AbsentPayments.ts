/** A case of `DirectPaymentWatcher` on exchanges: endpoints that do not know a payment, or do not answer. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"

interface Faulty {
  readonly setFault: (fault: ExchangeFault | undefined) => Effect.Effect<unknown, unknown>
}

/** `id`: a payment that is final. `absent`: how an endpoint answers that it does not know it. */
export const neverGone = Effect.fnUntraced(function*(
  { chain, endpoints }: { readonly chain: Chain; readonly endpoints: ReadonlyArray<Faulty> },
  id: TransactionId,
  absent: ExchangeFault
) {
  const sends = yield* DirectPaymentWatcher
  const standing = yield* sends.look(chain, id)
  const [, second] = endpoints
  if (standing === undefined || second === undefined) return assert.fail("not found")
  const again = sends.lookAgain(chain, id, standing.payment.block, "quorum")
  for (const fault of [absent, { kind: "away" }] as const) {
    for (const endpoint of endpoints) yield* endpoint.setFault(fault)
    yield* Effect.flip(again)
    yield* second.setFault(undefined)
    yield* Effect.flip(again)
  }
  for (const endpoint of endpoints) yield* endpoint.setFault(undefined)
  assert.isTrue((yield* again)?.final)
})
