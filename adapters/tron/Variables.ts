/** The variables of a transfer service that serves a Tron chain: the key that pays, and how long a payment lives (TRON-7). */
import { Effect, Result, Schema } from "effect"
import { Hex32FromString } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { MOST_LIFETIME_MINUTES } from "../../src/domain/families/tron/payment/Lifetime.ts"
import { read, readOptional, refuseWrong } from "../family/Variables.ts"
import type { Variable } from "../family/Variables.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

export const solverKey = variable({
  name: "TRON_SOLVER_PRIVATE_KEY",
  meaning:
    "the key that pays on Tron, 0x and 64 hex digits: a key of the solver's own, of which no other service may sign, and not SOLVER_PRIVATE_KEY; needed where a Tron chain is served",
  schema: Schema.RedactedFromValue(
    Hex32FromString.check(Schema.makeFilter((key) => Result.isSuccess(accountOfKey(key)))),
    { label: "tron-solver-key", disallowEncode: true }
  )
})

const lifetime = variable({
  name: "TRON_PAYMENT_MINUTES",
  meaning:
    "for how many minutes of the chain's time a payment can be executed, 3 to 1440: one that no block took is made again at the earliest after that, once a later block is solidified",
  schema: Schema.NumberFromString.pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 3, maximum: MOST_LIFETIME_MINUTES })))
  ),
  fallback: "10"
})

export const transferVariables = [solverKey, lifetime]

/** Fails with everything that is wrong. */
export const readTransfer = Effect.gen(function*() {
  const values = yield* Effect.all({ key: readOptional(solverKey), lifetimeMinutes: read(lifetime) }, {
    mode: "result"
  })
  yield* refuseWrong(values)
  return yield* Effect.fromResult(Result.all(values))
})
