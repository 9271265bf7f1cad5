/** The port `Workflows` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Workflows } from "../../../ports/store/operations/Workflows.ts"
import { MemoryStore } from "../MemoryStore.ts"

export const layer = Layer.effect(
  Workflows,
  Effect.map(MemoryStore, ({ call }) =>
    Workflows.of({
      unfinished: call("Workflows.unfinished", ({ unfinished }) => unfinished("unfinished").length)
    }))
)
