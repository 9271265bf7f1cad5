/**
 * For whom an endpoint of an exchange is asked (EXCHANGEA-11, EXCHANGEB-8): what strangers ask for, quotes and transactions
 * that they name, shares a part of its budget.
 */
import { Context, Effect } from "effect"
import { Due } from "../../ports/chain/Due.ts"
import type { EndpointRead } from "./EndpointReader.ts"

export const AskedFor = Context.Reference<"due" | "strangers">("causeway/adapters/endpoints/AskedFor", {
  defaultValue: () => "due"
})

/** The same read for a stranger. */
export const forStrangers = <Client, A>(read: EndpointRead<Client, A>): EndpointRead<Client, A> => (client, deadline) =>
  Effect.provideService(read(client, deadline), AskedFor, "strangers")

/** For a stranger, unless it is for money that is due. */
export const unlessDue = <Client, A>(read: EndpointRead<Client, A>): Effect.Effect<EndpointRead<Client, A>> =>
  Effect.map(Due, (isDue) => isDue ? read : forStrangers(read))
