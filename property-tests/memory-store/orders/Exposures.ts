/** The port `Exposures` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import type { Exposure } from "../../../ports/store/orders/Exposures.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { isHalted } from "../operations/Pauses.ts"

const sumOf = (exposures: ReadonlyArray<Exposure>): bigint =>
  exposures.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)

export const layer = Layer.effect(
  Exposures,
  Effect.map(MemoryStore, ({ call }) =>
    Exposures.of({
      take: (exposure, caps) =>
        call("Exposures.take", (tables) => {
          const { chainId, onchainId, usdMicros, user } = exposure
          if (isHalted(tables, chainId)) return false
          const taken = tables.exposuresOn(String(chainId))
          if (taken.some((each) => each.onchainId === onchainId)) return true
          const ofUser = taken.filter((each) => each.user === user)
          if (sumOf(taken) + usdMicros > caps.chain || sumOf(ofUser) + usdMicros > caps.user) return false
          tables.exposures.add(onchainId, { chainId, onchainId, usdMicros, user })
          return true
        })
    }))
)
