/**
 * The transfer service's only way to call exchange B: its endpoints in rotation (`Rotation`), each within its budget of
 * requests. Oracles read under a quorum instead (`Observer`), with the same client.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Redacted } from "effect"
import type { EndpointFamily, EndpointFault } from "../../endpoints/AskEndpoint.ts"
import { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
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

/** `behind`: the endpoint cannot answer yet. */
export type ExchangeBFault = ReadFault | "behind"

/** Reads of one endpoint. `deadline` in milliseconds, for one request. */
export type ExchangeBRead<A> = (client: ExchangeBClient, deadline: number) => Effect.Effect<A, ExchangeBFault>

/** One endpoint. Rejects when it does not answer, or cannot yet. */
export interface ExchangeBReader {
  readonly read: <A>(read: ExchangeBRead<A>) => Promise<A>
}

export class ExchangeBRpc
  extends Context.Service<ExchangeBRpc, Rotation<ExchangeBReader>>()("causeway/adapters/exchange-b/ExchangeBRpc")
{}

class NotAnswered extends Error {
  readonly kind: EndpointFault
  constructor(kind: EndpointFault) {
    super(kind)
    this.kind = kind
  }
}

/** An answer that cannot be true is a refusal to answer: another endpoint is asked. */
const causeOf = (fault: ExchangeBFault): Error =>
  fault === "behind"
    ? new NodeIsBehind()
    : new NotAnswered(fault === "timeout" || fault === "unreachable" ? fault : "refused")

const familyWith = (
  key: Redacted.Redacted | undefined,
  requestsPerMinute: number
): EndpointFamily<ExchangeBReader> => ({
  open: (url, requestMs) =>
    Effect.map(makeExchangeBClient(url, key), (opened): ExchangeBReader => {
      const client = budgeted(opened, new WeightBudget(requestsPerMinute), requestsPerMinute)
      return {
        read: async (read) =>
          Result.getOrThrowWith(await Effect.runPromise(Effect.result(read(client, requestMs))), causeOf)
      }
    }),
  // The exchange does not name its network: one that answers is taken for the right one.
  isOn: ({ read }) => read((client, deadline) => Effect.as(readTime(client, deadline), true)),
  faultOf: (cause) => cause instanceof NotAnswered ? cause.kind : "refused"
})

export const layer = Layer.effect(
  ExchangeBRpc,
  Effect.flatMap(
    ExchangeBEndpoints,
    ({ key, requestsPerMinute, ...listed }) => makeRotation(familyWith(key, requestsPerMinute), listed)
  )
)
