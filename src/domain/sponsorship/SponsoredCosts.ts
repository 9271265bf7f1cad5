/**
 * What a wallet's app balance paid for its keys' users: by day, key, component and route.
 *
 * Guarantee: the components of a cost add up to what was captured. Each component's part is in proportion to what the
 * sponsor really paid of it. App fees are not among them: a sponsor owes those separately, and pays them by a signature.
 */
import type { ApiKeyId } from "../api-key/ApiKey.ts"
import { utcDay } from "../calendar/Day.ts"
import type { ChainId } from "../chain/ChainId.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import type { Agreement } from "./Agreement.ts"
import { actualSplit } from "./Charge.ts"
import type { Charge, FillSpent } from "./Charge.ts"
import { type ByComponent, byComponent, type Component, components } from "./Component.ts"

/** A request whose sponsorship is complete. */
export interface SponsoredRequest extends FillSpent {
  readonly key: ApiKeyId
  /** Milliseconds: when the money was held. Budgets count it on that day, too. */
  readonly heldAt: number
  readonly originChainId: ChainId
  readonly destinationChainId: ChainId
  readonly agreement: Agreement
  readonly charge: Charge
  /** What was taken off the app balance. */
  readonly captured: MicroUsdc
}

/** What one key's users cost on one UTC day on one route. */
export interface SponsoredCost {
  /** Days since the epoch. */
  readonly day: number
  readonly key: ApiKeyId
  readonly originChainId: ChainId
  readonly destinationChainId: ChainId
  readonly requests: number
  readonly captured: MicroUsdc
  readonly components: ByComponent<MicroUsdc>
}

/** The components that an app balance pays. */
const paid: ReadonlyArray<Component> = components.filter((component) => component !== "app")

/**
 * Divides an amount in proportion to weights, none of which is negative. Each part is rounded down, and what is left
 * goes to the greatest one, so that the parts add up. Without any weight the first component has it all.
 */
export const shareOut = (amount: bigint, weights: ByComponent<bigint>): ByComponent<MicroUsdc> => {
  const whole = paid.reduce((sum, component) => sum + weights[component], 0n)
  const parts = byComponent((component) =>
    whole === 0n || !paid.includes(component) ? 0n : amount * weights[component] / whole
  )
  const left = amount - paid.reduce((sum, component) => sum + parts[component], 0n)
  const greatest = paid.reduce<Component>(
    (best, component) => weights[component] > weights[best] ? component : best,
    "execution"
  )
  return byComponent((component) => MicroUsdc(parts[component] + (component === greatest ? left : 0n)))
}

const componentsOf = ({ agreement, captured, charge, gasPaid, rentPaid }: SponsoredRequest) => {
  const split = actualSplit(agreement, charge, { gasPaid, rentPaid })
  // A swap that gained is a negative cost, which nobody pays.
  return shareOut(
    captured,
    byComponent((component) => {
      const { sponsored } = split.components[component]
      return sponsored > 0n ? sponsored : 0n
    })
  )
}

/** The costs of requests, oldest day first, then by key and route. */
export const sumCosts = (requests: ReadonlyArray<SponsoredRequest>): ReadonlyArray<SponsoredCost> => {
  const sums = new Map<string, SponsoredCost>()
  for (const request of requests) {
    const { captured, destinationChainId, heldAt, key, originChainId } = request
    const day = utcDay(heldAt)
    const place = `${String(day).padStart(9, "0")} ${key} ${originChainId} ${destinationChainId}`
    const before = sums.get(place)
    const own = componentsOf(request)
    sums.set(place, {
      day,
      key,
      originChainId,
      destinationChainId,
      requests: (before?.requests ?? 0) + 1,
      captured: MicroUsdc((before?.captured ?? 0n) + captured),
      components: byComponent((component) => MicroUsdc((before?.components[component] ?? 0n) + own[component]))
    })
  }
  return [...sums].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, cost]) => cost)
}
