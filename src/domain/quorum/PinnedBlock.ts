/**
 * The block at which a quorum reads: the k-th highest of the final heights that its endpoints report
 * (QUORUM-2).
 *
 * At least k endpoints have reached it, so fewer than k liars cannot push it past every truthful one.
 * An endpoint below it is stale: it is not asked, and it does not disagree.
 */
import * as Result from "effect/Result"
import type { EndpointQuorum } from "./EndpointQuorum.ts"
import { TooFewAnswers } from "./QuorumFailure.ts"

/** What one endpoint reports of its chain: block heights, and the head's time in seconds. */
export interface ReportedHeads {
  readonly host: string
  /** −1 when nothing is final. */
  readonly finalHeight: bigint
  readonly head: { readonly height: bigint; readonly time: number }
}

/** The block that a quorum reads at, and the hosts that have reached it. Times are in seconds. */
export interface PinnedBlock {
  readonly finalHeight: bigint
  /** Height and time that k endpoints have reached. */
  readonly head: { readonly height: bigint; readonly time: number }
  /** Hosts that may be asked for evidence at this block. */
  readonly reached: ReadonlyArray<string>
  readonly stale: ReadonlyArray<string>
}

interface HostHeads {
  readonly finalHeight: bigint
  readonly headHeight: bigint
  readonly headTime: number
}

const lower = <N extends bigint | number>(left: N, right: N): N => left < right ? left : right
const descending = (left: bigint | number, right: bigint | number): number => left > right ? -1 : left < right ? 1 : 0

/** One report per host: the lowest of what its endpoints report. */
const byHost = (quorum: EndpointQuorum, reports: ReadonlyArray<ReportedHeads>): ReadonlyMap<string, HostHeads> => {
  const heads = new Map<string, HostHeads>()
  for (const { finalHeight, head, host } of reports) {
    if (!quorum.hosts.includes(host)) continue
    const before = heads.get(host)
    heads.set(host, {
      finalHeight: before === undefined ? finalHeight : lower(before.finalHeight, finalHeight),
      headHeight: before === undefined ? head.height : lower(before.headHeight, head.height),
      headTime: before === undefined ? head.time : lower(before.headTime, head.time)
    })
  }
  return heads
}

/** Fails when fewer than k hosts have reported. */
export const pinBlock = (
  quorum: EndpointQuorum,
  reports: ReadonlyArray<ReportedHeads>
): Result.Result<PinnedBlock, TooFewAnswers> => {
  const heads = byHost(quorum, reports)
  const kth = <N extends bigint | number>(of: (heads: HostHeads) => N): N | undefined =>
    [...heads.values()].map(of).toSorted(descending)[quorum.needed - 1]
  const finalHeight = kth((each) => each.finalHeight)
  const height = kth((each) => each.headHeight)
  const time = kth((each) => each.headTime)
  if (finalHeight === undefined || height === undefined || time === undefined) {
    return Result.fail(new TooFewAnswers({ answered: heads.size, needed: quorum.needed }))
  }
  const reached = [...heads].filter(([, each]) => each.finalHeight >= finalHeight).map(([host]) => host)
  return Result.succeed({
    finalHeight,
    head: { height, time },
    reached,
    stale: [...heads.keys()].filter((host) => !reached.includes(host))
  })
}
