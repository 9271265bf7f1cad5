/** The port `Pauses` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { makeRecentRead } from "../../../ports/store/operations/RecentRead.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

/** Whether a reorg past finality has halted the chain. */
export const isHalted = ({ pauses }: Tables, chainId: ChainId): boolean => pauses.has(`halt:${chainId}`)

export const layer = Layer.effect(
  Pauses,
  Effect.map(Effect.all([MemoryStore, SlowPoll]), ([{ call, notices }, slowPoll]) => {
    const { forget, fresh, recent } = makeRecentRead(
      slowPoll,
      Effect.sync(() => notices.heard("pauses")),
      () =>
        call(
          "Pauses.all",
          ({ pauses }) => pauses.all().toSorted(ascending(({ createdAt }) => createdAt, ({ id }) => id))
        )
    )

    return Pauses.of({
      all: fresh,
      recent,
      add: ({ createdAt, id, reason, scope }) =>
        call("Pauses.add", ({ pauses }) => {
          const pause = pauses.get(id) ?? { createdAt, id, reason, scope }
          pauses.set(id, pause)
          forget()
          return pause
        }),
      remove: (id) =>
        call("Pauses.remove", ({ pauses }) => {
          forget()
          return pauses.remove(id)
        })
    })
  })
)
