/**
 * `StepBuilder` with a cache for deposits of native currency, where the adapter says that its reading may be used again
 * (`repeatable`): the same user asking for the same deposit. Deposits of tokens are read each time, because the user's
 * approval changes their steps. Refusals are never cached.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StepBuilder } from "../../../../ports/chain/StepBuilder.ts"
import type { DepositIntent, PreparedDeposit } from "../../../../ports/chain/StepBuilder.ts"
import { makeTtlCache } from "../../polling/TtlCache.ts"
import { knownDeposits } from "./KnownFacts.ts"

/** The approximate number of users. */
const CAPACITY = 10_000

/** What tells one deposit from another. Undefined for those that are read each time. */
const keyOf = (
  { amount, computeUnitLimit, currency, feePayer, origin, user, userPublicKey, way }: DepositIntent
): string | undefined =>
  currency.isNative && (way._tag === "Depository" || way._tag === "Transfer") && feePayer === undefined &&
    computeUnitLimit !== true && userPublicKey === undefined
    ? `${origin.id} ${way._tag} ${user} ${amount}`
    : undefined

/** `maxAge` in milliseconds. */
export const layer = (maxAge: number) =>
  Layer.effect(
    StepBuilder,
    Effect.map(StepBuilder, (steps) => {
      const recent = makeTtlCache<PreparedDeposit>({
        maxAge,
        capacity: CAPACITY,
        keeps: ({ repeatable }) => repeatable === true
      })
      const service = StepBuilder.of({
        prepare: (intent) => {
          const key = keyOf(intent)
          return key === undefined ? steps.prepare(intent) : recent(key, steps.prepare(intent))
        }
      })
      return knownDeposits.offer(service, (intent, now) => {
        const key = keyOf(intent)
        return key === undefined ? undefined : recent.known(key, now)
      })
    })
  )
