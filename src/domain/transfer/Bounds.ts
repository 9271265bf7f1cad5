/**
 * How long a request may stay in a state, and when it must have ended (STATUS-8: "every request with a deposit ends
 * within its bound"). A request that exceeds a bound raises an alarm that names it. Bounds decide nothing else.
 *
 * A request can move back and forth (a reorg may remove its deposit), so the sum of its states has no bound. `endsBy`
 * therefore counts from the first sighting of the deposit.
 */
import { findChain } from "../chain/Chain.ts"
import type { Chain } from "../chain/Chain.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { Status } from "./Status.ts"

/** Seconds, of the request's two chains. */
export interface ChainTimes {
  /** Until a block of the origin is final. */
  readonly originFinality: number
  /** Until a block of the destination is final. */
  readonly destinationFinality: number
}

/** Unpaid quotes are deleted after seven days (SAFE-10). */
export const UNPAID_SECONDS = 7 * 24 * 3600

/** Allowance on top of finality for slow blocks, endpoints that are down and rising fees. */
const SLACK_SECONDS = 600

/** How long a delayed transfer waits for inventory, a price or a chain before it is refunded. */
const DELAYED_SECONDS = 6 * 3600

/** Seconds that a request may stay in a state; undefined for terminal states, which it never leaves. */
export const boundOf = (status: Status, times: ChainTimes): number | undefined => {
  switch (status) {
    case "waiting":
      return UNPAID_SECONDS
    case "depositing":
      return times.originFinality + SLACK_SECONDS
    case "pending":
      return times.originFinality + SLACK_SECONDS
    case "submitted":
      return times.destinationFinality + SLACK_SECONDS
    case "delayed":
      return DELAYED_SECONDS
    case "success":
    case "refund":
    case "failure":
      return undefined
  }
}

/** True when a request in a state since `since` should have left it by `now`; milliseconds. */
export const isOverdue = (status: Status, since: number, now: number, times: ChainTimes): boolean => {
  const bound = boundOf(status, times)
  return bound !== undefined && now - since > bound * 1000
}

/** The fields of a request that decide whether it is overdue. */
interface UnderWay {
  readonly status: Status
  /** Milliseconds: when the request entered this state. */
  readonly since: number
  readonly originChainId: ChainId
  readonly destinationChainId: ChainId
}

/**
 * The requests that should have left their state by `now`. A request on a chain that is not among these has no known
 * bound and is left out.
 */
export const overdueAmong = <A extends UnderWay>(
  requests: ReadonlyArray<A>,
  chains: ReadonlyArray<Chain>,
  now: number
): ReadonlyArray<A> =>
  requests.filter(({ destinationChainId, originChainId, since, status }) => {
    const origin = findChain(chains, originChainId)
    const destination = findChain(chains, destinationChainId)
    return origin !== undefined && destination !== undefined &&
      isOverdue(status, since, now, {
        originFinality: origin.finality.seconds,
        destinationFinality: destination.finality.seconds
      })
  })

/**
 * When a request with a deposit must have ended: milliseconds, counted from the first sighting of its deposit. Refunds
 * are paid on the origin.
 */
export const endsBy = (sightedAt: number, { destinationFinality, originFinality }: ChainTimes): number =>
  sightedAt + (2 * originFinality + destinationFinality + DELAYED_SECONDS + 4 * SLACK_SECONDS) * 1000
