/**
 * The transfer service's only way to call exchange A: its endpoints in rotation (`Rotation`), each within its budget of
 * weights. An endpoint's network is checked before use, by the id of USDC on its list of tokens. Oracles read under a
 * quorum instead (`Observer`), with the same client.
 */
import { Context, Effect, Layer } from "effect"
import type { EndpointFamily } from "../../endpoints/AskEndpoint.ts"
import { faultOf, readerOf } from "../../endpoints/EndpointReader.ts"
import type { EndpointRead, EndpointReader, EndpointReadFault } from "../../endpoints/EndpointReader.ts"
import { makeRotation } from "../../endpoints/Rotation.ts"
import type { ListedEndpoints, Rotation } from "../../endpoints/Rotation.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import { budgeted } from "./BudgetedClient.ts"
import { makeExchangeAClient } from "./ExchangeAClient.ts"
import type { ExchangeAClient } from "./ExchangeAClient.ts"
import { RequestBudget } from "./RequestBudget.ts"

/** The endpoints of every chain of the family. */
export class ExchangeAEndpoints extends Context.Service<
  ExchangeAEndpoints,
  ListedEndpoints & {
    /** What one endpoint may be asked in a minute, as the exchange weighs requests. */
    readonly weightPerMinute: number
  }
>()("causeway/adapters/exchange-a/ExchangeAEndpoints") {}

export type ExchangeAFault = EndpointReadFault

/** Reads of one endpoint. */
export type ExchangeARead<A> = EndpointRead<ExchangeAClient, A>

/** One endpoint. */
export type ExchangeAReader = EndpointReader<ExchangeAClient>

export class ExchangeARpc
  extends Context.Service<ExchangeARpc, Rotation<ExchangeAReader>>()("causeway/adapters/exchange-a/ExchangeARpc")
{}

const familyWith = (weightPerMinute: number): EndpointFamily<ExchangeAReader> => ({
  open: (url, requestMs) =>
    Effect.map(
      makeExchangeAClient(url, undefined),
      (opened) => readerOf(budgeted(opened, new RequestBudget(weightPerMinute)), requestMs)
    ),
  isOn: ({ read }, { network }) =>
    read((client, deadline) =>
      Effect.map(readTokens(client, deadline), ({ isMainnet }) => isMainnet === (network === "mainnet"))
    ),
  faultOf
})

export const layer = Layer.effect(
  ExchangeARpc,
  Effect.flatMap(
    ExchangeAEndpoints,
    ({ weightPerMinute, ...listed }) => makeRotation(familyWith(weightPerMinute), listed)
  )
)
