/**
 * For whom an endpoint of exchange B is asked (EXCHANGEB-8): what strangers ask for, quotes and transactions that they name,
 * shares a part of its budget.
 */
import { Context, Effect } from "effect"
import { Due } from "../../../ports/chain/Due.ts"
import type { EndpointRead } from "../../endpoints/EndpointReader.ts"
import type { ExchangeBClient } from "./ExchangeBClient.ts"

type ExchangeBRead<A> = EndpointRead<ExchangeBClient, A>

export const AskedFor = Context.Reference<"due" | "strangers">("causeway/adapters/exchange-b/AskedFor", {
  defaultValue: () => "due"
})

/** The same read for a stranger. */
export const forStrangers = <A>(read: ExchangeBRead<A>): ExchangeBRead<A> => (client, deadline) =>
  Effect.provideService(read(client, deadline), AskedFor, "strangers")

/** For a stranger, unless it is for money that is due. */
export const unlessDue = <A>(read: ExchangeBRead<A>): Effect.Effect<ExchangeBRead<A>> =>
  Effect.map(Due, (isDue) => isDue ? read : forStrangers(read))
