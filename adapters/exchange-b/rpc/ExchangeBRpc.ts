/**
 * The transfer service's only way to call exchange B: its endpoints in rotation (`Rotation`), each within its budget of
 * requests. Oracles read under a quorum instead (`Observer`), with the same client.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import type { EndpointFamily } from "../../endpoints/AskEndpoint.ts"
import { faultOf, readerOf } from "../../endpoints/EndpointReader.ts"
import type { EndpointRead, EndpointReader, EndpointReadFault } from "../../endpoints/EndpointReader.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { readTime } from "../observe/ReadTransaction.ts"
import { WeightBudget } from "../../quorum/rpc/WeightBudget.ts"
import { budgeted } from "./BudgetedClient.ts"
import { makeExchangeBClient } from "./ExchangeBClient.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"

/** The endpoints of every chain of the family, and the key that they are asked with. */
export class ExchangeBEndpoints extends Context.Service<
  ExchangeBEndpoints,
  ListedEndpoints & {
    readonly key?: Redacted.Redacted
    /** Requests that one endpoint may be asked in a minute. */
    readonly requestsPerMinute: number
  }
>()("causeway/adapters/exchange-b/ExchangeBEndpoints") {}

export type ExchangeBFault = EndpointReadFault

/** Reads of one endpoint. */
export type ExchangeBRead<A> = EndpointRead<ExchangeBClient, A>

/** One endpoint. */
export type ExchangeBReader = EndpointReader<ExchangeBClient>

export class ExchangeBRpc
  extends Context.Service<ExchangeBRpc, Rotation<ExchangeBReader>>()("causeway/adapters/exchange-b/ExchangeBRpc")
{}

const familyWith = (
  key: Redacted.Redacted | undefined,
  requestsPerMinute: number
): EndpointFamily<ExchangeBReader> => ({
  open: (url, requestMs) =>
    Effect.map(
      makeExchangeBClient(url, key),
      (opened) => readerOf(budgeted(opened, new WeightBudget(requestsPerMinute), requestsPerMinute), requestMs)
    ),
  // The exchange does not name its network: one that answers is taken for the right one.
  isOn: ({ read }) => read((client, deadline) => Effect.as(readTime(client, deadline), true)),
  faultOf
})

export const layer = Layer.effect(
  ExchangeBRpc,
  Effect.flatMap(
    ExchangeBEndpoints,
    ({ key, requestsPerMinute, ...listed }) => makeRotation(familyWith(key, requestsPerMinute), listed)
  )
)
