/** The port `IdempotentAnswers` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IdempotentAnswers } from "../../../ports/store/clients/IdempotentAnswers.ts"
import type { Claim, IdempotencySlot } from "../../../ports/store/clients/IdempotentAnswers.ts"
import { MemoryStore } from "../MemoryStore.ts"
import type { Tables } from "../Tables.ts"

/** How long a claim without an answer counts as running. */
const CLAIM_MS = 60_000

/** How long an answer is kept (WIRE-8). */
const KEPT_MS = 24 * 3600 * 1000

const slotOf = ({ key, scope }: IdempotencySlot): string => JSON.stringify([scope, key])

const claim = ({ answers }: Tables, slot: IdempotencySlot, bodyHash: string, now: number): Claim => {
  const held = answers.get(slotOf(slot))
  const isFree = held === undefined || held.claimedAt <= now - KEPT_MS ||
    (held.answer === undefined && held.claimedAt <= now - CLAIM_MS)
  if (isFree) {
    const { key, scope } = slot
    answers.set(slotOf(slot), { scope, key, bodyHash, claimedAt: now, answer: undefined })
    return { _tag: "Claimed" }
  }
  if (held.bodyHash !== bodyHash) return { _tag: "Reused" }
  return held.answer === undefined ? { _tag: "Running" } : { _tag: "Answered", answer: held.answer }
}

export const layer = Layer.effect(
  IdempotentAnswers,
  Effect.map(MemoryStore, ({ call }) =>
    IdempotentAnswers.of({
      claim: (...claimed) => call("IdempotentAnswers.claim", (tables) => claim(tables, ...claimed)),
      store: (slot, { body, status }) =>
        call("IdempotentAnswers.store", ({ answers }) => {
          answers.change(slotOf(slot), (row) => ({ ...row, answer: { status, body } }))
        }),
      release: (slot) =>
        call("IdempotentAnswers.release", ({ answers }) => {
          if (answers.get(slotOf(slot))?.answer === undefined) answers.remove(slotOf(slot))
        }),
      forgetBefore: (time) =>
        call("IdempotentAnswers.forgetBefore", ({ answers }) => {
          for (const row of answers.all()) if (row.claimedAt < time) answers.remove(slotOf(row))
        })
    }))
)
