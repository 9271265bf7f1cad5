/** How long a transfer takes, and how deep its deposit must be: both follow from its value (PRICE-21, QUOTE-7). */
import type { Chain } from "../../chain/Chain.ts"
import type { Usd } from "../../money/Usd.ts"

/** Confirmations that a deposit of this value needs; undefined when it must be final. */
export const confirmationsFor = (chain: Chain, value: Usd): number | undefined =>
  chain.confirmations.find((step) => value <= step.upToUsd)?.blocks

/** Typical seconds until a block of the chain is final. */
const finalitySeconds = ({ blockTimeMs, finality }: Chain): number =>
  finality._tag === "Tag" ? finality.seconds : Math.max(finality.seconds, (finality.blocks * blockTimeMs) / 1000)

/** True when a deposit of this value with these confirmations may be filled. */
export const isDeepEnough = (chain: Chain, value: Usd, confirmations: number, final: boolean): boolean => {
  const needed = confirmationsFor(chain, value)
  return final || (needed !== undefined && confirmations >= needed)
}

/** Seconds from the deposit to the fill, at least one. */
export const timeEstimate = (origin: Chain, destination: Chain, value: Usd): number => {
  const blocks = confirmationsFor(origin, value)
  const wait = blocks === undefined ? finalitySeconds(origin) : (blocks * origin.blockTimeMs) / 1000
  return Math.max(1, Math.ceil(wait + destination.blockTimeMs / 1000))
}
