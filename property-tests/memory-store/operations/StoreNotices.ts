/** The port `StoreNotices` in memory. The store is in this process, so there is no connection that could be lost. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import { MemoryStore } from "../MemoryStore.ts"

export const layer = Layer.effect(
  StoreNotices,
  Effect.map(
    MemoryStore,
    ({ notices: { after, heard } }) => StoreNotices.of({ after, heard: (topic) => Effect.sync(() => heard(topic)) })
  )
)
