/**
 * Agreement of k of n endpoints of a chain on evidence at one pinned block (QUORUM-3).
 *
 * Guarantee: with at most `tolerated` lying endpoints, in collusion or not, no false evidence is
 * agreed on; with k truthful ones that have reached the pinned block, true evidence is. Liars can
 * delay: a liar that claims a high block makes truthful endpoints stale until they reach it.
 * Not for counting operators: two hosts of one provider are two here.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A quorum that can never be reached, or that would prove nothing. */
export class ImpossibleQuorum extends Schema.TaggedError<ImpossibleQuorum>()("ImpossibleQuorum", {
  needed: Schema.Number,
  available: Schema.Int
}) {
  override get message(): string {
    return `a quorum of ${this.needed} among ${this.available} is impossible`
  }
}

/** The hosts of a chain, and how many of them must agree. */
export interface EndpointQuorum {
  /** Names of the hosts, each once. */
  readonly hosts: ReadonlyArray<string>
  /** How many must give the same answer. */
  readonly needed: number
}

/** The host of a URL. On the loopback every port is a node of its own. Undefined when the text is not a URL. */
export const hostOf = (url: string): string | undefined => {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === "") return undefined
  const name = parsed.hostname.replace(/\.$/, "")
  const loopback = name === "localhost" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name)
  return loopback ? `${name}:${parsed.port}` : name
}

/** `needed` is more than half by default. Endpoints of one host count as one. */
export const makeEndpointQuorum = (
  hosts: ReadonlyArray<string>,
  needed?: number
): Result.Result<EndpointQuorum, ImpossibleQuorum> => {
  const distinct = [...new Set(hosts)]
  const wanted = needed ?? Math.floor(distinct.length / 2) + 1
  return Number.isInteger(wanted) && wanted >= 1 && wanted <= distinct.length
    ? Result.succeed({ hosts: distinct, needed: wanted })
    : Result.fail(new ImpossibleQuorum({ needed: wanted, available: distinct.length }))
}

/** True when two groups that agree must share an endpoint. */
export const isMajority = ({ hosts, needed }: EndpointQuorum): boolean => needed * 2 > hosts.length

/** How many lying endpoints cannot make false evidence pass: n − k of a majority, else fewer than k. */
export const tolerated = ({ hosts, needed }: EndpointQuorum): number => Math.min(hosts.length - needed, needed - 1)

/**
 * The quorum of a service that pays (QUORUM-5). As above, but of two hosts without a configured number, either one
 * alone decides: a preferred endpoint and its fallback. Requiring both would stop the chain whenever one is silent.
 */
export const makeSolverQuorum = (
  hosts: ReadonlyArray<string>,
  needed?: number
): Result.Result<EndpointQuorum, ImpossibleQuorum> =>
  makeEndpointQuorum(hosts, needed ?? (new Set(hosts).size === 2 ? 1 : undefined))

/**
 * A warning for the operator about the endpoints that a solver's payments depend on. Undefined for a majority that
 * tolerates a silent endpoint.
 */
export const weaknessOf = ({ hosts, needed }: EndpointQuorum): string | undefined => {
  if (hosts.length === 1) return "has a single endpoint, whose operator decides what is filled and refunded"
  if (!isMajority({ hosts, needed })) {
    return `believes ${needed} of ${hosts.length} endpoints about what is filled and refunded: configure three or more, or set rpcQuorum to more than half of them`
  }
  return needed === hosts.length
    ? `needs all of its ${needed} endpoints: while one of them does not answer, large deposits wait and nothing counts as final`
    : undefined
}
