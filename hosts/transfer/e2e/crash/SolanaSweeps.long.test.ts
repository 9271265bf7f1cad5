import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { injectSweepCrashes, sweepCrashpoints } from "./testing/SweepCrashInjection.ts"

describe("a host that is killed around the sweep of a deposit address on Solana", () => {
  it.live(
    "has swept it once after the restart: with the same bytes while they are valid, signed again once they have expired",
    () =>
      Effect.scoped(Effect.flatMap(startSolanaNetwork(), (network) => injectSweepCrashes(network, sweepCrashpoints))),
    1_800_000
  )
})
