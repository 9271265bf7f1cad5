/** The port `FinalBlocks` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FinalBlocks } from "../../../ports/store/operations/FinalBlocks.ts"
import { MemoryStore } from "../MemoryStore.ts"

export const layer = Layer.effect(
  FinalBlocks,
  Effect.map(MemoryStore, ({ call }) =>
    FinalBlocks.of({
      find: (chainId) => call("FinalBlocks.find", ({ finalBlocks }) => finalBlocks.get(String(chainId))),
      remember: (chainId, { hash, height }) =>
        call("FinalBlocks.remember", ({ finalBlocks }) => {
          const known = finalBlocks.get(String(chainId))
          if (known === undefined || known.height < height) finalBlocks.set(String(chainId), { height, hash })
        }),
      forget: (chainId) =>
        call("FinalBlocks.forget", ({ finalBlocks }) => {
          finalBlocks.remove(String(chainId))
        })
    }))
)
