/**
 * `Gas` that asks the chain about the same plain payment only now and then. A payment with calls is tried each time, and so is a
 * sweep, a permit or what carries authorizations: what calls do may change with every block. Refusals are never kept, and
 * neither is what an account asks for to be opened: it changes at once, with the first fill to it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { makeRecent } from "../../polling/Recent.ts"

/** Recipients, more or less. */
const CAPACITY = 10_000

/** `maxAge` in milliseconds. */
export const layer = (maxAge: number) =>
  Layer.effect(
    Gas,
    Effect.gen(function*() {
      const gas = yield* Gas
      const recent = makeRecent<bigint>({ maxAge, capacity: CAPACITY })
      return Gas.of({
        ofSweep: (chain, currency) => recent(`${chain.id} ${currency.address} sweep`, gas.ofSweep(chain, currency)),
        ofPermit: (chain, kind, overhead) => recent(`${chain.id} permit ${kind} ${overhead}`, gas.ofPermit(chain, kind, overhead)),
        opening: gas.opening,
        mostOfCalls: gas.mostOfCalls,
        ofPayment: (payment) => {
          const { authorizations = [], calls = [], chain, currency, permit, recipient, sweep, topup = 0n } = payment
          return calls.length > 0 || authorizations.length > 0 || permit !== undefined || sweep !== undefined ? gas.ofPayment(payment) : recent(`${chain.id} ${currency.address} ${recipient}${topup === 0n ? "" : " topup"}`, gas.ofPayment(payment))
        }
      })
    })
  )
