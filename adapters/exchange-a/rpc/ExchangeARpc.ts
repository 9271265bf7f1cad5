/**
 * The transfer service's only way to call exchange A: its endpoints in rotation (`Rotation`), each within its budget of
 * weights. An endpoint's network is checked before use, by the id of USDC on its list of tokens. Oracles read under a
 * quorum instead (`Observer`), with the same client.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { EndpointFamily, EndpointFault } from "../../endpoints/AskEndpoint.ts"
import { NodeIsBehind } from "../../endpoints/NodeIsBehind.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import { budgeted } from "./BudgetedClient.ts"
import { makeExchangeAClient } from "./ExchangeAClient.ts"
import type { ExchangeAClient } from "./ExchangeAClient.ts"
import { WeightBudget } from "../../quorum/rpc/WeightBudget.ts"

/** The endpoints of every chain of the family. */
export class ExchangeAEndpoints extends Context.Service<
  ExchangeAEndpoints,
  ListedEndpoints & {
    /** What one endpoint may be asked in a minute, as the exchange weighs requests. */
    readonly weightPerMinute: number
  }
>()("causeway/adapters/exchange-a/ExchangeAEndpoints") {}

/** `behind`: the endpoint cannot answer yet. */
export type ExchangeAFault = ReadFault | "behind"

/** Reads of one endpoint. `deadline` in milliseconds, for one request. */
export type ExchangeARead<A> = (client: ExchangeAClient, deadline: number) => Effect.Effect<A, ExchangeAFault>

/** One endpoint. Rejects when it does not answer, or cannot yet. */
export interface ExchangeAReader {
  readonly read: <A>(read: ExchangeARead<A>) => Promise<A>
}

export class ExchangeARpc
  extends Context.Service<ExchangeARpc, Rotation<ExchangeAReader>>()("causeway/adapters/exchange-a/ExchangeARpc")
{}

class NotAnswered extends Error {
  readonly kind: EndpointFault
  constructor(kind: EndpointFault) {
    super(kind)
    this.kind = kind
  }
}

/** An answer that cannot be true is a refusal to answer: another endpoint is asked. */
const causeOf = (fault: ExchangeAFault): Error =>
  fault === "behind"
    ? new NodeIsBehind()
    : new NotAnswered(fault === "timeout" || fault === "unreachable" ? fault : "refused")

const familyWith = (weightPerMinute: number): EndpointFamily<ExchangeAReader> => ({
  open: (url, requestMs) =>
    Effect.map(makeExchangeAClient(url, undefined), (opened): ExchangeAReader => {
      const client = budgeted(opened, new WeightBudget(weightPerMinute))
      return {
        read: async (read) =>
          Result.getOrThrowWith(await Effect.runPromise(Effect.result(read(client, requestMs))), causeOf)
      }
    }),
  isOn: ({ read }, { network }) =>
    read((client, deadline) =>
      Effect.map(readTokens(client, deadline), ({ isMainnet }) => isMainnet === (network === "mainnet"))
    ),
  faultOf: (cause) => cause instanceof NotAnswered ? cause.kind : "refused"
})

export const layer = Layer.effect(
  ExchangeARpc,
  Effect.flatMap(
    ExchangeAEndpoints,
    ({ weightPerMinute, ...listed }) => makeRotation(familyWith(weightPerMinute), listed)
  )
)
