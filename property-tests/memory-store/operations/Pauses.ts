/** The port `Pauses` in memory. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Pause } from "../../../src/domain/pause/Pause.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

/** Whether a reorg past finality has halted the chain. */
export const isHalted = ({ pauses }: Tables, chainId: ChainId): boolean => pauses.has(`halt:${chainId}`)

export const layer = Layer.effect(
  Pauses,
  Effect.map(Effect.all([MemoryStore, SlowPoll]), ([{ call, notices }, slowPoll]) => {
    /** What this process has read last, when in milliseconds, and the notices of pauses by then. */
    let known: { readonly pauses: ReadonlyArray<Pause>; readonly readAt: number; readonly heard: number } | undefined

    const all = Effect.flatMap(Clock.currentTimeMillis, (readAt) => {
      const heard = notices.heard("pauses")
      return Effect.map(
        call(
          "Pauses.all",
          ({ pauses }) => pauses.all().toSorted(ascending(({ createdAt }) => createdAt, ({ id }) => id))
        ),
        (pauses) => {
          if (known === undefined || known.readAt <= readAt) known = { pauses, readAt, heard }
          return pauses
        }
      )
    })

    const recent = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const age = known === undefined ? -1 : now - known.readAt
      const isNew = age >= 0 && age < Duration.toMillis(slowPoll) && known?.heard === notices.heard("pauses")
      return known !== undefined && isNew ? Effect.succeed(known.pauses) : all
    })

    return Pauses.of({
      all,
      recent,
      add: ({ createdAt, id, reason, scope }) =>
        call("Pauses.add", ({ pauses }) => {
          const pause = pauses.get(id) ?? { createdAt, id, reason, scope }
          pauses.set(id, pause)
          known = undefined
          return pause
        }),
      remove: (id) =>
        call("Pauses.remove", ({ pauses }) => {
          known = undefined
          return pauses.remove(id)
        })
    })
  })
)
