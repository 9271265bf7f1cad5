/** The opened endpoints of one chain. Counts and logs endpoints that fail or that disagree with their quorum. */
import { Effect, Metric, Redacted, Result } from "effect"
import { readFaults } from "./ReadFault.ts"
import type { Scope } from "effect"
import { hostOf, makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointQuorum, ImpossibleQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { makeJsonRpc } from "./rpc/JsonRpc.ts"
import type { JsonRpc } from "./rpc/JsonRpc.ts"
import type { RpcStyle } from "./rpc/JsonRpcPool.ts"

/** `Client` is how the family calls it: JSON-RPC, or the interfaces of its nodes and the services beside them. */
export interface Endpoint<Client = JsonRpc> {
  readonly rpc: Client
  readonly host: string
  /** True while the endpoint is known to be on the right chain. */
  verified: boolean
}

/** The endpoints of a chain, for reading under a quorum. */
export interface ObservedEndpoints {
  readonly quorum: EndpointQuorum
  readonly urls: ReadonlyArray<Redacted.Redacted>
}

export interface OpenQuorum<Client = JsonRpc> {
  readonly quorum: EndpointQuorum
  readonly all: ReadonlyArray<Endpoint<Client>>
}

/** Default deadline of one request to one endpoint, milliseconds. */
export const DEADLINE_MS = 4_000

export const hostOfUrl = (url: Redacted.Redacted): string => hostOf(Redacted.value(url)) ?? "invalid"

/** The quorum over some URLs. More than half of their hosts must agree, unless `needed` gives another number. */
export const observedEndpoints = (
  urls: ReadonlyArray<Redacted.Redacted>,
  needed?: number
): Result.Result<ObservedEndpoints, ImpossibleQuorum> =>
  Result.map(makeEndpointQuorum(urls.map(hostOfUrl), needed), (quorum) => ({ quorum, urls }))

/** Opens one endpoint of a family; the scope closes its connections. */
export type OpenClient<Client> = (url: Redacted.Redacted) => Effect.Effect<Client, never, Scope.Scope>

/** For families whose nodes only have JSON-RPC. */
export const jsonRpc = (style?: RpcStyle): OpenClient<JsonRpc> => (url) => makeJsonRpc(url, style)

/** The scope closes the connections. */
export const openEndpoints = <Client>({ quorum, urls }: ObservedEndpoints, open: OpenClient<Client>) =>
  Effect.map(
    Effect.forEach(urls, (url) =>
      Effect.map(open(url), (rpc): Endpoint<Client> => ({ rpc, host: hostOfUrl(url), verified: false }))),
    (all): OpenQuorum<Client> => ({ quorum, all })
  )

/** Opens the endpoints of every chain, by chain. The scope closes their connections. */
export const openAll = <Id, Client>(of: ReadonlyMap<Id, ObservedEndpoints>, open: OpenClient<Client>) =>
  Effect.map(
    Effect.forEach([...of], ([id, observed]) =>
      Effect.map(openEndpoints(observed, open), (opened) => [id, opened] as const)),
    (all): ReadonlyMap<Id, OpenQuorum<Client>> =>
      new Map(all)
  )

const faults = Metric.counter("endpoint_faults_total", {
  description: "reads that an endpoint failed to answer, by chain, host and kind",
  incremental: true
})
const dissents = Metric.counter("endpoint_dissents_total", {
  description: "answers of endpoints that contradicted their quorum, by chain and host",
  incremental: true
})

/** Starts both counters at 0, so that a first event shows as an increase. */
export const countFromZero = (chain: string, hosts: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(hosts, (host) =>
    Effect.andThen(
      Metric.update(Metric.withAttributes(dissents, { chain, host }), 0),
      Effect.forEach(readFaults, (fault) => Metric.update(Metric.withAttributes(faults, { chain, host, fault }), 0), {
        discard: true
      })
    ), { discard: true })

export const countFault = (chain: string, host: string, fault: string) =>
  Metric.update(Metric.withAttributes(faults, { chain, host, fault }), 1)

/** Raises an alarm, although the quorum stands. */
export const noteDissent = (chain: string, dissenting: ReadonlyArray<string>) =>
  Effect.forEach(dissenting, (host) => Metric.update(Metric.withAttributes(dissents, { chain, host }), 1), {
    discard: true
  }).pipe(
    Effect.andThen(
      dissenting.length === 0
        ? Effect.void
        : Effect.logError(`${chain}: endpoints contradict the quorum: ${dissenting.join(", ")}`)
    )
  )
