/** For whom an endpoint of exchange B is asked (EXCHANGEB-8): quotes, which strangers ask for, share a part of its budget. */
import { Context, Effect } from "effect"
import { Due } from "../../../ports/chain/Due.ts"
import type { ExchangeBRead } from "./ExchangeBRpc.ts"

export const AskedFor = Context.Reference<"due" | "quote">("causeway/adapters/exchange-b/AskedFor", {
  defaultValue: () => "due"
})

/** The same read for a quote. */
export const forQuote = <A>(read: ExchangeBRead<A>): ExchangeBRead<A> => (client, deadline) =>
  Effect.provideService(read(client, deadline), AskedFor, "quote")

/** For a quote, unless it is for money that is due. */
export const unlessDue = <A>(read: ExchangeBRead<A>): Effect.Effect<ExchangeBRead<A>> =>
  Effect.map(Due, (isDue) => isDue ? read : forQuote(read))
