/**
 * The endpoints of one chain, opened, and what is counted and told of those that fail or say otherwise than their
 * quorum.
 */
import { Effect, Metric, Redacted, Result } from "effect"
import { readFaults } from "./ReadFault.ts"
import type { Scope } from "effect"
import { hostOf, makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import type { EndpointQuorum, ImpossibleQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { makeJsonRpc } from "./rpc/JsonRpc.ts"
import type { JsonRpc } from "./rpc/JsonRpc.ts"
import type { RpcStyle } from "./rpc/JsonRpcPool.ts"

/** `Client` is how its family speaks to it: JSON-RPC, or whatever a family's nodes and their companions answer to. */
export interface Endpoint<Client = JsonRpc> {
  readonly rpc: Client
  readonly host: string
  /** True while it is known to be on the right chain. */
  verified: boolean
}

/** Where a chain is read under a quorum. */
export interface ObservedEndpoints {
  readonly quorum: EndpointQuorum
  readonly urls: ReadonlyArray<Redacted.Redacted>
}

export interface OpenQuorum<Client = JsonRpc> {
  readonly quorum: EndpointQuorum
  readonly all: ReadonlyArray<Endpoint<Client>>
}

/** For one request to one endpoint, milliseconds, unless told otherwise. */
export const DEADLINE_MS = 4_000

export const hostOfUrl = (url: Redacted.Redacted): string => hostOf(Redacted.value(url)) ?? "invalid"

/** The quorum over some URLs; more than half of their hosts must agree unless `needed` names another number. */
export const observedEndpoints = (
  urls: ReadonlyArray<Redacted.Redacted>,
  needed?: number
): Result.Result<ObservedEndpoints, ImpossibleQuorum> =>
  Result.map(makeEndpointQuorum(urls.map(hostOfUrl), needed), (quorum) => ({ quorum, urls }))

/** Opens one endpoint of a family; the scope closes its connections. */
export type OpenClient<Client> = (url: Redacted.Redacted) => Effect.Effect<Client, never, Scope.Scope>

/** For families whose nodes answer to JSON-RPC alone. */
export const jsonRpc = (style?: RpcStyle): OpenClient<JsonRpc> => (url) => makeJsonRpc(url, style)

/** The scope closes the connections. */
export const openEndpoints = <Client>({ quorum, urls }: ObservedEndpoints, open: OpenClient<Client>) =>
  Effect.map(
    Effect.forEach(urls, (url) =>
      Effect.map(open(url), (rpc): Endpoint<Client> => ({ rpc, host: hostOfUrl(url), verified: false }))),
    (all): OpenQuorum<Client> => ({ quorum, all })
  )

/** The endpoints of every chain, by whatever names it; the scope closes their connections. */
export const openAll = <Id, Client>(of: ReadonlyMap<Id, ObservedEndpoints>, open: OpenClient<Client>) =>
  Effect.map(
    Effect.forEach([...of], ([id, observed]) =>
      Effect.map(openEndpoints(observed, open), (opened) => [id, opened] as const)),
    (all): ReadonlyMap<Id, OpenQuorum<Client>> =>
      new Map(all)
  )

const faults = Metric.counter("endpoint_faults_total", {
  description: "readings that an endpoint did not give, by chain, host and kind",
  incremental: true
})
const dissents = Metric.counter("endpoint_dissents_total", {
  description: "endpoints that said otherwise than their quorum, by chain and host",
  incremental: true
})

/** Shows both from 0, so that the first of either is seen as an increase. */
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

/** An alarm, though the quorum stands. */
export const noteDissent = (chain: string, dissenting: ReadonlyArray<string>) =>
  Effect.forEach(dissenting, (host) => Metric.update(Metric.withAttributes(dissents, { chain, host }), 1), {
    discard: true
  }).pipe(
    Effect.andThen(
      dissenting.length === 0
        ? Effect.void
        : Effect.logError(`${chain}: endpoints say otherwise than the quorum: ${dissenting.join(", ")}`)
    )
  )
