/** How often a chain is polled: a fifth of its block time, within bounds. */
import * as Duration from "effect/Duration"
import type { Chain } from "../../domain/chain/Chain.ts"

export const pollInterval = ({ blockTimeMs }: Chain): Duration.Duration =>
  Duration.millis(Math.min(2_000, Math.max(100, blockTimeMs / 5)))
