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
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
import { budgeted } from "./BudgetedClient.ts"
import { makeExchangeBClient } from "./ExchangeBClient.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"
import { RequestBudget } from "./RequestBudget.ts"
import type { Allowance } from "./RequestBudget.ts"

/** The endpoints of every chain of the family, and the key that they are asked with. */
export class ExchangeBEndpoints extends Context.Service<
  ExchangeBEndpoints,
  ListedEndpoints & {
    readonly key?: Redacted.Redacted
    /** What one endpoint may be asked in a minute. */
    readonly allowance: Allowance
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
  allowance: Allowance
): EndpointFamily<ExchangeBReader> => ({
  open: Effect.fnUntraced(function*(url, requestMs) {
    const budget = new RequestBudget(allowance)
    const barred = Effect.map(elapsedMillis, (now) => budget.rest(now))
    return readerOf(budgeted(yield* makeExchangeBClient(url, key, barred), budget), requestMs)
  }),
  // The exchange does not name its network: one that answers is taken for the right one.
  isOn: ({ read }) => read((client, deadline) => Effect.as(readTime(client, deadline), true)),
  faultOf
})

export const layer = Layer.effect(
  ExchangeBRpc,
  Effect.flatMap(
    ExchangeBEndpoints,
    ({ allowance, key, ...listed }) => makeRotation(familyWith(key, allowance), listed)
  )
)
